// Tickets that wait for who handles them, for the room that gathers what waits.

import { to } from '#core/contract/paths.ts'
import type { WorkSource } from '#core/server/slots.ts'
import { tickets } from '../contract.ts'
import { listForHandler, type TicketRecord } from './store.ts'

/** Those given to the person, and those that nobody has, whose last word is the requester's. */
export const ticketsWaiting: WorkSource = {
  kind: 'ticket',
  needs: 'ticketEdit',
  async read(tenancy, { userId }, { most, countTo }) {
    const rows = await listForHandler(tenancy, userId, countTo)
    const items = rows.slice(0, most).map((row) => ({
      id: String(row.ticket_id),
      title: `${row.ticket_id}: ${row.title}`,
      link: to(tickets.screens.view, { id: String(row.ticket_id) }),
      requestedBy: row.created_name,
      since: row.updated_at,
      ...dueOf(row),
      actions: [
        ...(row.assigned_to === null ? [{ name: 'take', call: 'tickets.assign', input: { ticketId: row.ticket_id, userId } }] : []),
        {
          name: 'close',
          call: 'tickets.closeMany',
          input: { ticketIds: [row.ticket_id], fieldsToUpdate: { ticketStatus: 'closed' } },
        },
      ],
    }))
    return { items, count: rows.length }
  },
}

/** The answer or the end, whichever is due first. */
const dueOf = ({ response_due, resolution_due }: TicketRecord): { due?: Date } => {
  const times = [response_due, resolution_due].flatMap((due) => (due === null ? [] : [due.getTime()]))
  return times.length === 0 ? {} : { due: new Date(Math.min(...times)) }
}
