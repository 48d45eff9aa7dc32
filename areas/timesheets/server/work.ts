// Timesheets that wait for who approves them, and those that came back to their person, for the room that gathers what waits.

import { to } from '#core/contract/paths.ts'
import type { WorkItem, WorkSource } from '#core/server/slots.ts'
import { timesheets } from '../contract.ts'
import { listReturned, listWaiting, type WeekRecord } from './store.ts'

export const viewPath = ({ user_id, week }: Pick<WeekRecord, 'user_id' | 'week'>): string =>
  to(timesheets.screens.view, { '*': `${user_id}/${week}` })

const itemOf = (row: WeekRecord): WorkItem => {
  const input = { userId: row.user_id, week: row.week, version: row.version }
  return {
    id: `${row.user_id} ${row.week}`,
    title: `${row.username}, ${row.week}`,
    link: viewPath(row),
    requestedBy: row.username,
    since: row.submitted_at ?? row.changed_at,
    actions: [
      { name: 'approve', call: 'timesheets.approve', input },
      { name: 'return', call: 'timesheets.giveBack', input, reasonField: 'reason', needsReason: true },
    ],
  }
}

export const timesheetsWaiting: WorkSource = {
  kind: 'timesheet',
  needs: 'viewTimesheets',
  async read(tenancy, viewer, { most, countTo }) {
    const rows = await listWaiting(tenancy, viewer.userId, countTo)
    return { items: rows.slice(0, most).map(itemOf), count: rows.length }
  },
}

export const timesheetsReturned: WorkSource = {
  kind: 'timesheetReturned',
  needs: 'timesheetOverview',
  async read(tenancy, viewer, { most, countTo }) {
    const rows = await listReturned(tenancy, viewer.userId, countTo)
    const items = rows.slice(0, most).map((row) => ({
      id: row.week,
      title: row.week,
      link: to(timesheets.screens.overview, { '*': `week/${row.week}` }),
      since: row.changed_at,
      actions: [],
    }))
    return { items, count: rows.length }
  },
}
