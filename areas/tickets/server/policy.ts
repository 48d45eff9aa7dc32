// Who may do what to a ticket and its messages, decided over rows that were read.

import type { Viewer } from '#core/server/serve.ts'
import { mayReopen } from '../rules.ts'
import type { Reader, TicketRecord } from './store.ts'

export type Asker = Pick<Viewer, 'userId' | 'permission'>

/** Whether somebody handles tickets: sees all of the tenancy and writes internal notes. */
export const handlesTickets = ({ permission }: Pick<Asker, 'permission'>): boolean => permission.api.includes('ticketEdit')

export const readerOf = (asker: Asker): Reader => ({ userId: asker.userId, handles: handlesTickets(asker) })

/** Whether somebody may write in a ticket that they see: in a closed one who handles tickets, and for some days who raised it. */
export const mayWriteIn = (asker: Asker, ticket: Pick<TicketRecord, 'status' | 'created_by' | 'closed_at'>, now: Date): boolean =>
  ticket.status !== 'closed' ||
  handlesTickets(asker) ||
  (ticket.created_by === asker.userId && mayReopen(ticket.closed_at ?? undefined, now))
