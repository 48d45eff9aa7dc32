import { Textarea } from '@mantine/core'
import classes from './authorities.module.css'

/** PEM to read and to select: a field, so that the keyboard can scroll it. */
export function PemText({ label, value }: { label: string; value: string }) {
  return <Textarea readOnly autosize minRows={4} maxRows={24} spellCheck={false} aria-label={label} value={value} classNames={{ input: classes['pem'] ?? '' }} />
}
