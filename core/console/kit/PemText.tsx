import { Textarea } from '@mantine/core'
import classes from './PemText.module.css'

/** PEM to read and to select: a field, so that the keyboard can scroll it. */
export function PemText({ label, value, maxRows = 24 }: { label: string; value: string; maxRows?: number }) {
  return (
    <Textarea
      readOnly
      autosize
      minRows={4}
      maxRows={maxRows}
      spellCheck={false}
      aria-label={label}
      value={value}
      classNames={{ input: classes['pem'] ?? '' }}
    />
  )
}
