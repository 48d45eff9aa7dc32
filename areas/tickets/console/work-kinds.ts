import type { WorkKind } from '#core/console/slots.ts'
import { tickets } from '../contract.ts'

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'ticket',
    title: 'Tickets to answer',
    actions: {
      take: { call: tickets.calls.assign, label: 'Take ticket' },
      close: { call: tickets.calls.closeMany, label: 'Close ticket' },
    },
  },
]
