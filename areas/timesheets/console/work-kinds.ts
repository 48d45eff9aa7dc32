import type { WorkKind } from '#core/console/slots.ts'
import { timesheets } from '../contract.ts'

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'timesheet',
    title: 'Timesheets to approve',
    one: 'Timesheet to approve',
    actions: {
      approve: { call: timesheets.calls.approve, label: 'Approve', done: 'Approved' },
      return: { call: timesheets.calls.giveBack, label: 'Return', done: 'Returned', danger: true },
    },
  },
  { kind: 'timesheetReturned', title: 'Weeks that came back to you', one: 'Week that came back to you', actions: {} },
]
