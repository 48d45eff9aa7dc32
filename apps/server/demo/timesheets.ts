// The demonstration's timesheets: a few people of each tenancy over the last weeks, with one that waits, one that came back and one that is missing.

import { randomUUID } from 'node:crypto'
import { insertMember } from '#areas/roles/server/store.ts'
import { addRole, holdersOf } from '#areas/roles/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { timesheets } from '#areas/timesheets/contract.ts'
import { daysOf, minutesOf, mondayOf, spanOf, weekAfter, type State } from '#areas/timesheets/rules.ts'
import { insertEntries, insertStep, insertWeek, updateWeek } from '#areas/timesheets/server/store.ts'
import { wallTime } from '#core/contract/wall-time.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import type { Chance } from './chance.ts'
import type { FoundTenancy, Member } from './found.ts'
import { membersOf } from './plan.ts'
import { houseAt } from './then.ts'

const day = 86_400_000
const weeks = 6
const people = 9

const keeps = ['timesheetOverview', 'workflow']
const timekeeper = { name: 'Timekeeper', description: 'Keeps a timesheet', view: keeps, menu: keeps, api: keeps }

const work = [
  ['Depot, renewal of readers', 'Depot 2027'],
  ['Support desk', ''],
  ['Rollout of cards', 'Card rollout'],
  ['Meter certificates', 'Meters'],
  ['Training', ''],
] as const

export async function writeTimesheets(house: House, tenancies: readonly FoundTenancy[], chance: Chance): Promise<void> {
  for (const tenancy of tenancies) {
    const { id: tenantId, members } = tenancy
    const zone = (await findTenancy(house.database, tenantId))?.timeZone ?? 'UTC'
    const keepers = new Set(await withTenancy(house, tenantId, ({ db }) => holdersOf(db, tenantId, 'timesheetOverview')))
    const boss = members.find(({ id }) => keepers.has(id))
    // Leaves out whom a newcomer signs in as: each of those shows one role alone.
    const newcomers = new Set(
      (['administrator', 'certificateOfficer', 'requester'] as const).map((role) => membersOf(tenancy, role)[0]?.id),
    )
    const others = members.filter(({ id, activated }) => activated && id !== boss?.id && !newcomers.has(id)).slice(0, people)
    if (boss === undefined) continue
    await withTenancy(house, tenantId, async ({ db, now }) => {
      const roleId = await addRole(db, tenantId, timekeeper, now, boss.username)
      for (const { id } of others) await insertMember(db, tenantId, id, [roleId])
    })
    const present = mondayOf(wallTime(house.now(), zone).day)
    for (const [place, member] of others.entries())
      for (let back = weeks; back >= 1; back -= 1) {
        const state = stateOf(place, back)
        if (state !== undefined) await writeWeek(house, { tenantId, member, boss, week: weekAfter(present, -back), state, zone }, chance)
      }
  }
}

/** Older weeks are approved or exported; of the last one some wait, one came back and one is missing. */
const stateOf = (place: number, back: number): State | undefined =>
  back > 3 ? 'exported' : back > 1 ? 'approved' : ([undefined, 'returned', 'draft', 'submitted', 'submitted', 'submitted'] as const)[place]

type Telling = { tenantId: string; member: Member; boss: Member; week: string; state: State; zone: string }

async function writeWeek(house: House, { tenantId, member, boss, week, state, zone }: Telling, chance: Chance): Promise<void> {
  const of = { userId: member.id, week }
  const lines = daysOf(week)
    .slice(0, 5)
    .map((onDay) => {
      const [activity, project] = chance.pick([...work])
      const from = chance.pick(['07:30', '08:00', '08:15', '09:00'])
      const to = chance.pick(['16:00', '16:30', '17:15'])
      return {
        id: randomUUID(),
        user_id: member.id,
        week,
        ...spanOf({ day: onDay, from, to }, zone),
        break_minutes: 30,
        activity,
        project,
        note: '',
      }
    })
  const minutes = lines.reduce((sum, line) => sum + minutesOf(line, line.break_minutes), 0)
  const over = new Date(Math.min(Date.parse(`${week}T15:00:00Z`) + 5 * day, house.now().getTime()))
  const own = { userId: member.id, name: member.username }
  await houseAt(house, over).work(tenantId, own, async ({ tenancy, emitFor }) => {
    await insertWeek(tenancy, of, member.username)
    await insertEntries(tenancy, lines)
    await updateWeek(tenancy, of, { minutes, ...(state === 'draft' ? {} : { state: 'submitted', submitted_at: over }) })
    emitFor(timesheets)('saved', { ...of, minutes }, member.id)
    if (state === 'draft') return
    await insertStep(tenancy, {
      id: randomUUID(),
      user_id: member.id,
      week,
      by_id: member.id,
      by_name: member.username,
      what: 'submit',
      reason: '',
    })
    emitFor(timesheets)('submitted', of, member.id)
  })
  if (state === 'draft' || state === 'submitted') return
  const decided = new Date(Math.min(over.getTime() + day, house.now().getTime()))
  await houseAt(house, decided).work(tenantId, { userId: boss.id, name: boss.username }, async ({ tenancy, emitFor }) => {
    const reason = state === 'returned' ? 'Wednesday was a holiday' : ''
    const step = { user_id: member.id, week, by_id: boss.id, by_name: boss.username }
    await insertStep(tenancy, { id: randomUUID(), ...step, what: state === 'returned' ? 'return' : 'approve', reason })
    if (state === 'returned') emitFor(timesheets)('returned', { ...of, reason }, member.id)
    else emitFor(timesheets)('approved', of, member.id)
    if (state === 'exported') await insertStep(tenancy, { id: randomUUID(), ...step, what: 'export', reason: '' })
    await updateWeek(tenancy, of, { state })
  })
}
