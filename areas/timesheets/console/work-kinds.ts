import type { WorkKind } from '#core/console/slots.ts'
import { timesheets } from '../contract.ts'

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'timesheet',
    title: 'Timesheets to approve',
    actions: {
      approve: { call: timesheets.calls.approve, label: 'Approve' },
      return: { call: timesheets.calls.giveBack, label: 'Return', danger: true },
    },
  },
  { kind: 'timesheetReturned', title: 'Weeks that came back to you', actions: {} },
]
