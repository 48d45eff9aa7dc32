// Timesheets that wait for who approves them, and those that came back to their person, for the room that gathers what waits.

import { fullName, findPeople } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import type { WorkItem, WorkSource } from '#core/server/slots.ts'
import { timesheets } from '../contract.ts'
import { daysOf } from '../rules.ts'
import { listReturned, listWaiting, type WeekRecord } from './store.ts'

export const viewPath = ({ user_id, week }: Pick<WeekRecord, 'user_id' | 'week'>): string =>
  to(timesheets.screens.view, { '*': `${user_id}/${week}` })

/** First and last day, which the console writes in the person's own way. */
const wholeWeek = (week: string): string => `${week} – ${daysOf(week).at(-1) ?? ''}`

const itemOf = (row: WeekRecord, name: string): WorkItem => {
  const input = { userId: row.user_id, week: row.week, version: row.version }
  return {
    id: `${row.user_id} ${row.week}`,
    title: `${name}, ${wholeWeek(row.week)}`,
    link: viewPath(row),
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
    const shown = rows.slice(0, most)
    const people = await findPeople(
      tenancy.db,
      tenancy.tenantId,
      shown.map((row) => row.user_id),
    )
    const names = new Map(people.map((person) => [person.id, fullName(person)]))
    return { items: shown.map((row) => itemOf(row, names.get(row.user_id) ?? row.username)), count: rows.length }
  },
}

export const timesheetsReturned: WorkSource = {
  kind: 'timesheetReturned',
  needs: 'timesheetOverview',
  async read(tenancy, viewer, { most, countTo }) {
    const rows = await listReturned(tenancy, viewer.userId, countTo)
    const items = rows.slice(0, most).map((row) => ({
      id: row.week,
      title: wholeWeek(row.week),
      link: to(timesheets.screens.overview, { '*': `week/${row.week}` }),
      since: row.changed_at,
      actions: [],
    }))
    return { items, count: rows.length }
  },
}
