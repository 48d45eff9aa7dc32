// Fields inside fields, folded by the browser's own disclosure, so that keyboard and screen reader know it.

import { t } from '#core/console/text.ts'
import type { DecodedField } from '../contract.ts'
import classes from './decoder.module.css'

/** Levels that are open at first. */
const openLevels = 6

export function FieldTree({ fields, label, openTo = openLevels }: { fields: readonly DecodedField[]; label: string; openTo?: number }) {
  return (
    <ul className={classes['tree']} aria-label={label}>
      {fields.map((field, at) => (
        <FieldItem key={at} field={field} level={0} openTo={openTo} />
      ))}
    </ul>
  )
}

function FieldItem({ field, level, openTo }: { field: DecodedField; level: number; openTo: number }) {
  const { children = [] } = field
  if (children.length === 0) {
    return (
      <li className={classes['leaf']}>
        <FieldRow field={field} />
      </li>
    )
  }
  return (
    <li>
      <details open={level < openTo}>
        <summary>
          <FieldRow field={field} />
        </summary>
        <ul>
          {children.map((child, at) => (
            <FieldItem key={at} field={child} level={level + 1} openTo={openTo} />
          ))}
        </ul>
      </details>
    </li>
  )
}

function FieldRow({ field: { label, value, note, offset } }: { field: DecodedField }) {
  return (
    <span className={classes['row']}>
      <span className={classes['label']}>{label}</span>
      {value !== undefined && value !== '' && <span className={classes['value']}>{value}</span>}
      {note !== undefined && <span className={classes['note']}>{note}</span>}
      {offset !== undefined && <span className={classes['note']}>{t('at byte {offset}', { offset })}</span>}
    </span>
  )
}
