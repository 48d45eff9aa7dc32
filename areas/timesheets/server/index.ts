import { randomUUID } from 'node:crypto'
import { findTenancy } from '#areas/tenancy/service.ts'
import { findPerson, fullName, holdPerson, peopleWhoMay } from '#areas/users/service.ts'
import { csvLine } from '#core/contract/csv.ts'
import { offer } from '#core/contract/slots.ts'
import { wallTime } from '#core/contract/wall-time.ts'
import type { Database } from '#core/server/database.ts'
import { serve } from '#core/server/serve.ts'
import { personalData, workSources } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { timesheets } from '../contract.ts'
import {
  daysOf,
  firstOverlap,
  isOpen,
  minutesOf,
  mondayOf,
  mostExported,
  moves,
  overlap,
  rounded,
  spanOf,
  stateAfter,
  type Move,
  type State,
} from '../rules.ts'
import { presentEntry, presentRow, presentSheet } from './presenter.ts'
import {
  deleteEntries,
  deleteUndecided,
  findBeside,
  findPage,
  findWeek,
  insertEntries,
  insertStep,
  insertWeek,
  listEntries,
  listOfWeek,
  lockWeek,
  lockWeeks,
  sumMinutes,
  updateWeek,
  type Of,
  type WeekRecord,
} from './store.ts'
import { timesheetsReturned, timesheetsWaiting } from './work.ts'

const ownMoves: readonly Move[] = ['submit', 'recall']
const othersMoves: readonly Move[] = ['approve', 'return']

const openMoves = (state: State, among: readonly Move[]): Move[] =>
  moves.filter((move) => among.includes(move) && stateAfter(state, move) !== undefined)

export const zoneOf = async (db: Database, tenantId: string): Promise<string> => (await findTenancy(db, tenantId))?.timeZone ?? 'UTC'

const weekAt = (now: Date, zone: string): string => mondayOf(wallTime(now, zone).day)

export default serve(
  timesheets,
  {
    async week({ week }, { db, tenancy, viewer, now }) {
      const zone = await zoneOf(db, viewer.tenantId)
      const of = { userId: viewer.userId, username: viewer.username, week: week ?? weekAt(now, zone) }
      const row = await findWeek(tenancy, of)
      return presentSheet(tenancy, of, row, zone, openMoves(row?.state ?? 'draft', ownMoves))
    },

    async save({ week, version, entries }, { db, tenancy, viewer, emit, fault }) {
      const of = { userId: viewer.userId, week }
      // Held, so that what a person saves for two weeks at once is looked at one after the other.
      await holdPerson(db, viewer.homeTenantId, viewer.userId)
      await insertWeek(tenancy, of, viewer.username)
      const row = (await lockWeek(tenancy, of)) ?? fault('missing')
      if (!isOpen(row.state)) fault('locked')
      if (version !== undefined && version !== 0 && version !== row.version) fault('conflict')
      const zone = await zoneOf(db, viewer.tenantId)
      const says = timesheets.calls.save.faults
      const days = daysOf(week)
      const spans = entries.map((entry) => spanOf(entry, zone))
      for (const [at, { day, breakMinutes }] of entries.entries()) {
        const span = spans[at]
        if (!days.includes(day)) fault('outside', { fields: [{ field: `entries.${at}.day`, says: says.outside.says }] })
        if (span !== undefined && minutesOf(span, breakMinutes) <= 0)
          fault('nothing', { fields: [{ field: `entries.${at}.breakMinutes`, says: says.nothing.says }] })
      }
      const [, second] = firstOverlap(spans) ?? []
      const whole = wholeOf(spans)
      const beside = whole === undefined ? [] : await findBeside(tenancy, of, whole)
      const clash = second ?? spans.findIndex((span) => beside.some((other) => overlap(span, other)))
      if (clash >= 0) fault('overlap', { fields: [{ field: `entries.${clash}.from`, says: says.overlap.says }] })
      const rows = entries.flatMap(({ day: _day, from: _from, to: _to, breakMinutes, ...text }, at) => {
        const span = spans[at]
        return span === undefined ? [] : [{ id: randomUUID(), user_id: viewer.userId, week, ...span, break_minutes: breakMinutes, ...text }]
      })
      const minutes = rows.reduce((sum, entry) => sum + minutesOf(entry, entry.break_minutes), 0)
      await deleteEntries(tenancy, of)
      await insertEntries(tenancy, rows)
      const next = await updateWeek(tenancy, of, { minutes, affirmed_empty: false, username: viewer.username })
      emit('saved', { userId: viewer.userId, week, minutes }, viewer.userId)
      return { version: next, minutes }
    },

    async submit({ week, affirmEmpty, version }, { db, tenancy, viewer, emit, now, fault }) {
      const of = { userId: viewer.userId, week }
      await holdPerson(db, viewer.homeTenantId, viewer.userId)
      await insertWeek(tenancy, of, viewer.username)
      const row = await movable(tenancy, of, 'submit', version, fault)
      const entries = await listEntries(tenancy, of)
      if (entries.length === 0 && !affirmEmpty) fault('empty')
      if (entries.some(({ ends }) => ends > now)) fault('notOver')
      emit('submitted', { userId: viewer.userId, week }, viewer.userId)
      return moved(tenancy, row, { move: 'submit', by: viewer, affirmedEmpty: entries.length === 0 })
    },

    async recall({ week, version }, { tenancy, viewer, emit, fault }) {
      const row = await movable(tenancy, { userId: viewer.userId, week }, 'recall', version, fault)
      emit('recalled', { userId: viewer.userId, week }, viewer.userId)
      return moved(tenancy, row, { move: 'recall', by: viewer })
    },

    async view({ userId, week }, { db, tenancy, viewer, fault }) {
      const of = { userId, week }
      const row = await findWeek(tenancy, of)
      const person = await findPerson(db, viewer.tenantId, userId)
      if (row === undefined && person === undefined) fault('missing')
      const among = userId === viewer.userId ? [] : othersMoves
      const open = openMoves(row?.state ?? 'draft', among)
      return presentSheet(tenancy, { ...of, username: person?.username ?? '' }, row, await zoneOf(db, viewer.tenantId), open)
    },

    async approve({ userId, week, version }, { tenancy, viewer, emit, fault }) {
      if (userId === viewer.userId) fault('notYours')
      const row = await movable(tenancy, { userId, week }, 'approve', version, fault)
      emit('approved', { userId, week }, userId)
      return moved(tenancy, row, { move: 'approve', by: viewer })
    },

    async giveBack({ userId, week, version, reason }, { tenancy, viewer, emit, fault }) {
      if (userId === viewer.userId) fault('notYours')
      const row = await movable(tenancy, { userId, week }, 'return', version, fault)
      emit('returned', { userId, week, reason: reason.trim() }, userId)
      return moved(tenancy, row, { move: 'return', by: viewer, reason: reason.trim() })
    },

    async team({ week: asked }, { db, tenancy, viewer, now }) {
      const week = asked ?? weekAt(now, await zoneOf(db, viewer.tenantId))
      const rows = new Map((await listOfWeek(tenancy, week)).map((row) => [row.user_id, row]))
      const keepers = await peopleWhoMay(db, viewer.tenantId, 'timesheetOverview')
      const people = keepers.map((person) => {
        const row = rows.get(person.id)
        rows.delete(person.id)
        return {
          userId: person.id,
          name: fullName(person),
          username: person.username,
          state: row?.state ?? ('missing' as const),
          minutes: row?.minutes ?? 0,
        }
      })
      const others = [...rows.values()].map(({ user_id: userId, username, state, minutes }) => ({
        userId,
        name: username,
        username,
        state,
        minutes,
      }))
      return { week, people: [...people, ...others].toSorted((a, b) => a.name.localeCompare(b.name, 'en')) }
    },

    async search({ page, size, sort, direction, ...question }, { tenancy }) {
      const { rows, total } = await findPage(tenancy, question, { page, size, sort, direction })
      return { rows: rows.map(presentRow), total, minutes: await sumMinutes(tenancy, question) }
    },

    async exportApproved({ from, until, roundTo, again }, { db, tenancy, viewer, emit, fault }) {
      if (until < from) fault('endsBefore')
      const state: State[] = again ? ['approved', 'exported'] : ['approved']
      const zone = await zoneOf(db, viewer.tenantId)
      const found = await lockWeeks(tenancy, { text: '', state, from: mondayOf(from), until }, mostExported + 1)
      const rows = found.slice(0, mostExported)
      const lines = [csvLine(['Person', 'Week', 'Day', 'From', 'To', 'Break', 'Minutes', 'Rounded', 'Activity', 'Project', 'Note'])]
      for (const row of rows) {
        const of = { userId: row.user_id, week: row.week }
        for (const entry of await listEntries(tenancy, of)) {
          const one = presentEntry(entry, zone)
          const cells = [row.username, row.week, one.day, one.from, one.to, one.breakMinutes, one.minutes, rounded(one.minutes, roundTo)]
          lines.push(csvLine([...cells.map(String), one.activity, one.project, one.note]))
        }
        if (row.state !== 'approved') continue
        emit('exported', of, row.user_id)
        await moved(tenancy, row, { move: 'export', by: viewer })
      }
      return { weeks: rows.length, more: found.length > rows.length, csv: lines.join('') }
    },
  },
  {
    offers: [
      offer(workSources, timesheetsWaiting, timesheetsReturned),
      offer(personalData, (db, tenantId, userId) => deleteUndecided({ db, tenantId }, userId)),
    ],
  },
)

const wholeOf = (spans: readonly { begins: Date; ends: Date }[]) =>
  spans.length === 0
    ? undefined
    : {
        begins: new Date(Math.min(...spans.map(({ begins }) => begins.getTime()))),
        ends: new Date(Math.max(...spans.map(({ ends }) => ends.getTime()))),
      }

type Refuse = (code: 'missing' | 'conflict' | 'wrongState') => never

/** Locks a week that the move is open for. */
async function movable(tenancy: Tenancy, of: Of, move: Move, version: number | undefined, fault: Refuse): Promise<WeekRecord> {
  const row = (await lockWeek(tenancy, of)) ?? fault('missing')
  if (stateAfter(row.state, move) === undefined) fault('wrongState')
  if (version !== undefined && version !== 0 && version !== row.version) fault('conflict')
  return row
}

type Step = { move: Move; by: { userId: string; username: string }; reason?: string; affirmedEmpty?: boolean }

/** Moves a week that was locked, and keeps who did it. */
async function moved(tenancy: Tenancy, row: WeekRecord, { move, by, reason = '', affirmedEmpty }: Step): Promise<{ version: number }> {
  const of = { userId: row.user_id, week: row.week }
  const version = await updateWeek(tenancy, of, {
    state: stateAfter(row.state, move) ?? row.state,
    ...(move === 'submit' ? { submitted_at: tenancy.now } : {}),
    ...(affirmedEmpty === undefined ? {} : { affirmed_empty: affirmedEmpty }),
  })
  await insertStep(tenancy, {
    id: randomUUID(),
    user_id: row.user_id,
    week: row.week,
    by_id: by.userId,
    by_name: by.username,
    what: move,
    reason,
  })
  return { version }
}
