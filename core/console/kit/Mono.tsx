// A serial number or fingerprint: grouped by four for the eye by spacing alone, so that selecting or copying gives it whole.

import { Copy } from './Copy.tsx'
import classes from './Mono.module.css'

export type MonoProps = {
  value: string
  /** Named, it can be copied: "Serial number". */
  label?: string
  /** Hexadecimal is grouped by four; anything else is shown as it is. */
  grouped?: boolean
}

export function Mono({ value, label, grouped = /^[0-9a-f]{9,}$/i.test(value) }: MonoProps) {
  const groups = grouped ? (value.match(/.{1,4}/g) ?? []) : [value]
  return (
    <span className={classes['line']}>
      <code className={classes['mono']}>
        {groups.map((group, at) => (
          <span key={at} className={grouped ? classes['group'] : undefined}>
            {group}
          </span>
        ))}
      </code>
      {label !== undefined && <Copy value={value} label={label} />}
    </span>
  )
}
