// A serial number in a list: its beginning, by which the search finds it, whole in its hint and when it is copied. So that certificates of one name are told apart
// at sight and a row stays one line.

import { VisuallyHidden } from '@mantine/core'
import { Copy } from './Copy.tsx'
import { Hint } from './Hint.tsx'
import classes from './Mono.module.css'

const shown = 8

/** In groups of four. */
const grouped = (digits: string): string => digits.replaceAll(/.{4}(?=.)/g, '$& ')

export const shortNumber = (value: string): string => (value.length <= shown ? grouped(value) : `${grouped(value.slice(0, shown))}…`)

export function ShortNumber({ value, label }: { value: string; /** What is copied: "Serial number". */ label: string }) {
  return (
    <span className={classes['short']}>
      <Hint label={grouped(value)} delay={300}>
        <code className={classes['mono']}>
          <span aria-hidden>{shortNumber(value)}</span>
          <VisuallyHidden>{value}</VisuallyHidden>
        </code>
      </Hint>
      <Copy value={value} label={label} />
    </span>
  )
}
