// The tables of timesheets, and every question that is asked of them.

import type { Generated } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { Move, Span, State } from '../rules.ts'

export type WeekRecord = {
  tenant_id: string
  user_id: string
  username: string
  week: string
  state: State
  affirmed_empty: boolean
  minutes: number
  changed_at: Date
  submitted_at: Date | null
  version: number
}

export type EntryRecord = {
  tenant_id: string
  id: string
  user_id: string
  week: string
  begins: Date
  ends: Date
  break_minutes: number
  activity: string
  project: string
  note: string
}

export type StepRecord = {
  tenant_id: string
  id: string
  user_id: string
  week: string
  at: Date
  by_id: string
  by_name: string
  what: Move
  reason: string
}

type TimesheetTables = {
  timesheet_weeks: Omit<WeekRecord, 'version' | 'affirmed_empty' | 'minutes'> & {
    version: Generated<number>
    affirmed_empty: Generated<boolean>
    minutes: Generated<number>
  }
  timesheet_entries: EntryRecord
  timesheet_steps: StepRecord
}

const tables = (db: Database) => db.withTables<TimesheetTables>()

export type Of = { userId: string; week: string }

const weekOf = ({ db, tenantId }: Tenancy, { userId, week }: Of) =>
  tables(db)
    .selectFrom('timesheet_weeks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('week', '=', week)

export const findWeek = (tenancy: Tenancy, of: Of): Promise<WeekRecord | undefined> => weekOf(tenancy, of).executeTakeFirst()

/** Locks the row until the commit, so that nobody changes what is decided by it. */
export const lockWeek = (tenancy: Tenancy, of: Of): Promise<WeekRecord | undefined> => weekOf(tenancy, of).forUpdate().executeTakeFirst()

export const insertWeek = async ({ db, tenantId, now }: Tenancy, { userId, week }: Of, username: string): Promise<void> =>
  void (await tables(db)
    .insertInto('timesheet_weeks')
    .values({ tenant_id: tenantId, user_id: userId, username, week, state: 'draft', changed_at: now, submitted_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute())

export type WeekChange = Partial<Pick<WeekRecord, 'state' | 'affirmed_empty' | 'minutes' | 'submitted_at' | 'username'>>

/** Answers the version that the change made. */
export async function updateWeek({ db, tenantId, now }: Tenancy, { userId, week }: Of, change: WeekChange): Promise<number> {
  const { version } = await tables(db)
    .updateTable('timesheet_weeks')
    .set((all) => ({ ...change, changed_at: now, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('week', '=', week)
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

export const listEntries = ({ db, tenantId }: Tenancy, { userId, week }: Of): Promise<EntryRecord[]> =>
  tables(db)
    .selectFrom('timesheet_entries')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('week', '=', week)
    .orderBy('begins')
    .orderBy('id')
    .execute()

export const deleteEntries = async ({ db, tenantId }: Tenancy, { userId, week }: Of): Promise<void> =>
  void (await tables(db)
    .deleteFrom('timesheet_entries')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('week', '=', week)
    .execute())

export const insertEntries = async ({ db, tenantId }: Tenancy, rows: readonly Omit<EntryRecord, 'tenant_id'>[]): Promise<void> => {
  if (rows.length === 0) return
  await tables(db)
    .insertInto('timesheet_entries')
    .values(rows.map((row) => ({ tenant_id: tenantId, ...row })))
    .execute()
}

/** Entries of the person's other weeks that lie in a span: those of a Sunday night reach into the next week. */
export const findBeside = ({ db, tenantId }: Tenancy, { userId, week }: Of, { begins, ends }: Span): Promise<Span[]> =>
  tables(db)
    .selectFrom('timesheet_entries')
    .select(['begins', 'ends'])
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('week', '<>', week)
    .where('begins', '<', ends)
    .where('ends', '>', begins)
    .execute()

export const insertStep = async ({ db, tenantId, now }: Tenancy, row: Omit<StepRecord, 'tenant_id' | 'at'>): Promise<void> =>
  void (await tables(db)
    .insertInto('timesheet_steps')
    .values({ tenant_id: tenantId, at: now, ...row })
    .execute())

export const listSteps = ({ db, tenantId }: Tenancy, { userId, week }: Of): Promise<StepRecord[]> =>
  tables(db)
    .selectFrom('timesheet_steps')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('week', '=', week)
    .orderBy('at')
    .orderBy('id')
    .execute()

export const listOfWeek = ({ db, tenantId }: Tenancy, week: string): Promise<WeekRecord[]> =>
  tables(db)
    .selectFrom('timesheet_weeks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('week', '=', week)
    .orderBy('username')
    .limit(1_000)
    .execute()

const columns = { week: 'week', username: 'username', minutes: 'minutes', changedAt: 'changed_at' } as const

export type Question = { text: string; state: readonly State[]; from?: string | undefined; until?: string | undefined }
export type Part = { page: number; size: number; sort?: keyof typeof columns | undefined; direction: 'asc' | 'desc' }

const matching = ({ db, tenantId }: Tenancy, { text, state, from, until }: Question) =>
  tables(db)
    .selectFrom('timesheet_weeks')
    .where('tenant_id', '=', tenantId)
    .$if(text.trim() !== '', (query) =>
      query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['username']), all.val(text.trim().toLowerCase())]), '>', 0)),
    )
    .$if(state.length > 0, (query) => query.where('state', 'in', [...state]))
    .$if(from !== undefined, (query) => query.where('week', '>=', from ?? ''))
    .$if(until !== undefined, (query) => query.where('week', '<=', until ?? ''))

export async function findPage(
  tenancy: Tenancy,
  question: Question,
  { page, size, sort = 'week', direction }: Part,
): Promise<{ rows: WeekRecord[]; total: number }> {
  return readPage(matching(tenancy, question), { page, size }, (all) =>
    all.selectAll().orderBy(columns[sort], direction).orderBy('week', 'desc').orderBy('username').orderBy('user_id'),
  )
}

export async function sumMinutes(tenancy: Tenancy, question: Question): Promise<number> {
  const { sum } = await matching(tenancy, question)
    .select((all) => all.fn.sum<string | null>('minutes').as('sum'))
    .executeTakeFirstOrThrow()
  return Number(sum ?? 0)
}

/** The oldest weeks first, locked until the commit, so that each is exported once. */
export const lockWeeks = (tenancy: Tenancy, question: Question, most: number): Promise<WeekRecord[]> =>
  matching(tenancy, question).selectAll().orderBy('week').orderBy('user_id').limit(most).forUpdate().execute()

/** What others have submitted: the one that waits longest first. */
export const listWaiting = ({ db, tenantId }: Tenancy, but: string, most: number): Promise<WeekRecord[]> =>
  tables(db)
    .selectFrom('timesheet_weeks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'submitted')
    .where('user_id', '<>', but)
    .orderBy('submitted_at')
    .orderBy('user_id')
    .limit(most)
    .execute()

export const listReturned = ({ db, tenantId }: Tenancy, userId: string, most: number): Promise<WeekRecord[]> =>
  tables(db)
    .selectFrom('timesheet_weeks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('state', '=', 'returned')
    .orderBy('week')
    .limit(most)
    .execute()

/** Deletes what nobody has approved; approved hours stay on record under the name as it was. */
export async function deleteUndecided({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, userId: string): Promise<void> {
  const undecided = tables(db)
    .selectFrom('timesheet_weeks')
    .select('week')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('state', 'not in', ['approved', 'exported'])
  for (const table of ['timesheet_entries', 'timesheet_steps'] as const)
    await tables(db)
      .deleteFrom(table)
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('week', 'in', undecided)
      .execute()
  await tables(db)
    .deleteFrom('timesheet_weeks')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('state', 'not in', ['approved', 'exported'])
    .execute()
}
