import { sql, type JSONColumnType, type RawBuilder } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import { rowState, type RowState, type RunState } from '../rules.ts'
import type { Selected, Target } from '../selected.ts'

type Counts = Record<string, number>

export type RunRecord = {
  tenant_id: string
  id: string
  action: string
  state: RunState
  parameters: Record<string, unknown>
  query: Record<string, unknown> | null
  facts: Counts
  reached: number
  total: number
  failed: number
  requested: number
  outcomes: Counts
  user_id: string
  home_tenant_id: string
  actor: string
  address: string
  granted: string[]
  narrowed: boolean
  prepared_at: Date
  started_at: Date | null
  ended_at: Date | null
  ended_by: string
  repeats: string | null
}

export type RowRecord = {
  tenant_id: string
  run_id: string
  position: number
  target_id: string
  label: string
  version: number
  failure_code: string | null
  failure: string | null
  outcome: string | null
  request_id: string | null
}

type Json<R, K extends keyof R> = Omit<R, K> & { [F in K]: JSONColumnType<NonNullable<R[F]>> | (null extends R[F] ? null : never) }
type BulkTables = { bulk_runs: Json<RunRecord, 'parameters' | 'query' | 'facts' | 'outcomes'>; bulk_rows: RowRecord }

const tables = (db: Database) => db.withTables<BulkTables>()

export async function insertRun(db: Database, run: RunRecord): Promise<void> {
  const { parameters, query, facts, outcomes, ...columns } = run
  await tables(db)
    .insertInto('bulk_runs')
    .values({
      ...columns,
      parameters: JSON.stringify(parameters),
      query: query === null ? null : JSON.stringify(query),
      facts: JSON.stringify(facts),
      outcomes: JSON.stringify(outcomes),
    })
    .execute()
}

type Change = Partial<Omit<RunRecord, 'tenant_id' | 'id' | 'query'>>

export async function changeRun(
  db: Database,
  tenantId: string,
  id: string,
  { parameters, facts, outcomes, ...columns }: Change,
): Promise<void> {
  const written = {
    ...(parameters && { parameters: JSON.stringify(parameters) }),
    ...(facts && { facts: JSON.stringify(facts) }),
    ...(outcomes && { outcomes: JSON.stringify(outcomes) }),
  }
  await tables(db)
    .updateTable('bulk_runs')
    .set({ ...columns, ...written })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Writes the selected rows down in the order of their ids, at most `most`, each in the version that was seen or that there is, and says how many they are. */
export async function writeRows(
  db: Database,
  tenantId: string,
  runId: string,
  targets: RawBuilder<Target>,
  most: number,
  seen: Readonly<Record<string, number>> = {},
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into bulk_rows (tenant_id, run_id, position, target_id, label, version)
    select ${tenantId}, ${runId}, row_number() over (order by matching.id), matching.id, left(matching.label, 500), coalesce((${JSON.stringify(seen)}::jsonb ->> matching.id::text)::integer, matching.version)
    from (select id, label, version from (${targets}) as found order by id limit ${most}) as matching`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** The failed rows of another run, as they were shown then. */
export const failedTargets = (tenantId: string, runId: string): RawBuilder<Target> =>
  sql<Target>`select target_id as id, label, version from bulk_rows where tenant_id = ${tenantId} and run_id = ${runId} and failure_code is not null`

export const targetIds = (tenantId: string, runId: string): RawBuilder<unknown> =>
  sql`select target_id from bulk_rows where tenant_id = ${tenantId} and run_id = ${runId}`

/** Narrows a select to what was chosen. `id` names its column. */
export const within = (id: RawBuilder<unknown>, selected: Selected): RawBuilder<boolean> =>
  'ids' in selected
    ? sql<boolean>`${id} = any (${[...selected.ids]}::uuid[])`
    : sql<boolean>`not (${id} = any (${[...selected.without]}::uuid[]))`

/** Of what a person prepared and did not confirm, all but the newest so many go; one that is being confirmed at this moment stays. */
export async function dropPrepared(db: Database, tenantId: string, userId: string, mostKept: number): Promise<void> {
  const spare = await tables(db)
    .selectFrom('bulk_runs')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('state', '=', 'prepared')
    .orderBy('prepared_at', 'desc')
    .orderBy('id', 'desc')
    .offset(mostKept)
    .forUpdate()
    .skipLocked()
    .execute()
  await dropRuns(
    db,
    tenantId,
    spare.map(({ id }) => id),
  )
}

export const dropRows = async (db: Database, tenantId: string, runIds: readonly string[]): Promise<void> =>
  void (await tables(db)
    .deleteFrom('bulk_rows')
    .where('tenant_id', '=', tenantId)
    .where('run_id', 'in', [...runIds])
    .execute())

async function dropRuns(db: Database, tenantId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await dropRows(db, tenantId, ids)
  await tables(db)
    .deleteFrom('bulk_runs')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()
}

const runs = (db: Database, tenantId: string) => tables(db).selectFrom('bulk_runs').selectAll().where('tenant_id', '=', tenantId)

export const findRun = (db: Database, tenantId: string, id: string): Promise<RunRecord | undefined> =>
  runs(db, tenantId).where('id', '=', id).executeTakeFirst()

/** Held to the end of the transaction: a start, a batch and a cancellation do not cross. */
export const lockRun = (db: Database, tenantId: string, id: string): Promise<RunRecord | undefined> =>
  runs(db, tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

/** The same for the work: undefined, without waiting, where another process is at it. */
export const takeRun = (db: Database, tenantId: string, id: string): Promise<RunRecord | undefined> =>
  runs(db, tenantId).where('id', '=', id).where('state', '=', 'running').forUpdate().skipLocked().executeTakeFirst()

export const runningRuns = async (db: Database, tenantId: string): Promise<string[]> =>
  (
    await tables(db)
      .selectFrom('bulk_runs')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('state', '=', 'running')
      .orderBy('started_at')
      .orderBy('id')
      .execute()
  ).map(({ id }) => id)

/** A part of the open transaction that is undone alone where it throws. */
export async function inPart<T>(db: Database, work: () => Promise<T>): Promise<T> {
  await sql`savepoint bulk_rows`.execute(db)
  try {
    const outcome = await work()
    await sql`release savepoint bulk_rows`.execute(db)
    return outcome
  } catch (error) {
    // Where even this fails the whole transaction does; the first error is the one to tell.
    await sql`rollback to savepoint bulk_rows`.execute(db).catch(() => {})
    throw error
  }
}

export const nextRows = (db: Database, tenantId: string, runId: string, reached: number, most: number): Promise<RowRecord[]> =>
  tables(db)
    .selectFrom('bulk_rows')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('position', '>', reached)
    .orderBy('position')
    .limit(most)
    .execute()

export async function noteFailures(
  db: Database,
  tenantId: string,
  runId: string,
  failures: readonly { position: number; code: string; says: string }[],
): Promise<void> {
  if (failures.length === 0) return
  await sql`
    update bulk_rows set failure_code = failed.code, failure = failed.says
    from unnest(${failures.map(({ position }) => position)}::integer[], ${failures.map(({ code }) => code)}::text[], ${failures.map(({ says }) => says)}::text[]) as failed (position, code, says)
    where bulk_rows.tenant_id = ${tenantId} and bulk_rows.run_id = ${runId} and bulk_rows.position = failed.position`.execute(db)
}

export async function noteOutcomes(
  db: Database,
  tenantId: string,
  runId: string,
  reported: readonly { position: number; word: string; requestId?: string }[],
): Promise<void> {
  if (reported.length === 0) return
  await sql`
    update bulk_rows set outcome = asked.word, request_id = asked.request_id
    from unnest(${reported.map(({ position }) => position)}::integer[], ${reported.map(({ word }) => word)}::text[], ${reported.map(({ requestId }) => requestId ?? null)}::uuid[]) as asked (position, word, request_id)
    where bulk_rows.tenant_id = ${tenantId} and bulk_rows.run_id = ${runId} and bulk_rows.position = asked.position`.execute(db)
}

/** Rows from behind a position, for an export that reads on from where it was. */
export const rowsAfter = (
  db: Database,
  tenantId: string,
  runId: string,
  { after, most, failedAlone }: { after: number; most: number; failedAlone: boolean },
): Promise<RowRecord[]> =>
  tables(db)
    .selectFrom('bulk_rows')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .$if(failedAlone, (found) => found.where('failure_code', 'is not', null))
    .where('position', '>', after)
    .orderBy('position')
    .limit(most)
    .execute()

export const stateOfRow = (row: RowRecord, reached: number): RowState =>
  rowState({ position: row.position, failed: row.failure_code !== null, requested: row.request_id !== null }, reached)

export type RowQuery = { state?: RowState | undefined; text: string; page: number; size: number }

export async function searchRows(
  db: Database,
  { tenant_id: tenantId, id, reached }: RunRecord,
  { state, text, page, size }: RowQuery,
): Promise<{ rows: RowRecord[]; total: number; more: boolean }> {
  let found = tables(db).selectFrom('bulk_rows').where('tenant_id', '=', tenantId).where('run_id', '=', id)
  if (state === 'failed') found = found.where('failure_code', 'is not', null)
  if (state === 'requested') found = found.where('request_id', 'is not', null)
  if (state === 'done') found = found.where('failure_code', 'is', null).where('request_id', 'is', null).where('position', '<=', reached)
  if (state === 'waiting') found = found.where('position', '>', reached)
  const wanted = text.trim().toLowerCase()
  if (wanted !== '') found = found.where(sql<boolean>`position(${wanted} in lower(label || ' ' || coalesce(failure, ''))) > 0`)
  const { rows: counted } = await sql<{
    total: number
  }>`select count(*) as total from (${found.select('position').limit(countedUpTo + 1)}) as found`.execute(db)
  const total = counted[0]?.total ?? 0
  const offset = (page - 1) * size
  const rows = offset > countedUpTo ? [] : await found.selectAll().orderBy('position').limit(size).offset(offset).execute()
  return { rows, total: Math.min(total, countedUpTo), more: total > countedUpTo }
}

export type RunQuery = {
  states: readonly RunState[]
  actions: readonly string[]
  own: readonly string[]
  userId: string
  text: string
  page: number
  size: number
}

/** Runs of these actions, and the person's own runs of those others. */
export async function searchRuns(
  db: Database,
  tenantId: string,
  { states, actions, own, userId, text, page, size }: RunQuery,
): Promise<{ rows: RunRecord[]; total: number; more: boolean }> {
  let found = tables(db)
    .selectFrom('bulk_runs')
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`(action = any (${[...actions]}::text[]) or (action = any (${[...own]}::text[]) and user_id = ${userId}))`)
  if (states.length > 0) found = found.where('state', 'in', [...states])
  const wanted = text.trim().toLowerCase()
  if (wanted !== '') found = found.where(sql<boolean>`position(${wanted} in lower(actor)) > 0`)
  const { rows: counted } = await sql<{
    total: number
  }>`select count(*) as total from (${found.select('id').limit(countedUpTo + 1)}) as found`.execute(db)
  const total = counted[0]?.total ?? 0
  const rows = await found
    .selectAll()
    .orderBy('prepared_at', 'desc')
    .orderBy('id', 'desc')
    .limit(size)
    .offset(Math.min((page - 1) * size, countedUpTo))
    .execute()
  return { rows, total: Math.min(total, countedUpTo), more: total > countedUpTo }
}

/** Rows a second that the tenancy's latest runs of the action reached; undefined where none was long enough to tell: a hundred rows. */
export async function rateMeasured(db: Database, tenantId: string, action: string): Promise<number | undefined> {
  const { rows } = await sql<{ rate: number | null }>`
    select sum(reached) / nullif(sum(extract(epoch from ended_at - started_at)), 0)::float8 as rate from (
      select reached, started_at, ended_at from bulk_runs
      where tenant_id = ${tenantId} and action = ${action} and state = 'done' and reached >= 100 order by prepared_at desc limit 5
    ) as latest`.execute(db)
  const rate = Number(rows[0]?.rate ?? 0)
  return rate > 0 ? rate : undefined
}

/** Runs that nobody confirmed, and ended ones that are old: they go with their rows. */
export async function forgetRuns(
  db: Database,
  tenantId: string,
  { preparedBefore, endedBefore }: { preparedBefore: Date; endedBefore: Date },
): Promise<void> {
  const old = tables(db)
    .selectFrom('bulk_runs')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where((all) =>
      all.or([all.and([all('state', '=', 'prepared'), all('prepared_at', '<', preparedBefore)]), all('ended_at', '<', endedBefore)]),
    )
  await dropRuns(
    db,
    tenantId,
    (await old.execute()).map(({ id }) => id),
  )
}
