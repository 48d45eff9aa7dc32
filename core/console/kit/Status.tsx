// Icon, word and colour: never colour alone.

import { t } from '../text.ts'
import { statusKind, statusKinds } from './status-kinds.ts'
import classes from './Status.module.css'

export type StatusProps = {
  /** A kind (`active`, `expiring`, `revoked`, `pending`, ...) or the wire's own spelling of one. */
  of: string
  /** Another word than the kind's own. */
  label?: string
}

export function Status({ of, label }: StatusProps) {
  const kind = statusKind(of)
  const { word, tone, icon: Icon } = statusKinds[kind]
  return (
    <span className={classes['status']} data-tone={tone}>
      <Icon size={16} stroke={1.8} aria-hidden />
      {label ?? (kind === 'unknown' && of !== '' ? of : t(word))}
    </span>
  )
}
