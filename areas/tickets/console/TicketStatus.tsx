// The badge of a ticket's status, in the specified words and colours.

import { t } from '#core/console/text.ts'
import { readStatus, statusLook } from '../rules.ts'
import classes from './TicketStatus.module.css'

export function TicketStatus({ of }: { of: string }) {
  const status = readStatus(of)
  if (status === undefined) return <>{of}</>
  const { label, colour } = statusLook[status]
  return (
    <span className={`${classes['badge']} ${classes[colour]}`} data-colour={colour}>
      {t(label)}
    </span>
  )
}
