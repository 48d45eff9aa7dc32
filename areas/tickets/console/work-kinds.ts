import type { WorkKind } from '#core/console/slots.ts'
import { tickets } from '../contract.ts'

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'ticket',
    title: 'Tickets to answer',
    one: 'Ticket to answer',
    actions: {
      take: { call: tickets.calls.assign, label: 'Take ticket', done: 'Taken' },
      close: {
        call: tickets.calls.closeMany,
        label: 'Close ticket',
        done: 'Closed',
        asks: 'The ticket is closed, and who raised it is told.',
      },
    },
  },
]
