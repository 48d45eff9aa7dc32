// Directories, whom they know, and the plans and runs of their syncs: the tables, and every question that is asked of them.

import { sql, type ColumnType } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { DirectoryKind, Mapping } from '../mapping.ts'

export type ChangeKind = 'new' | 'changed' | 'enabled' | 'disabled' | 'missing' | 'conflict'
export type RunStatus = 'planned' | 'held' | 'running' | 'done' | 'failed' | 'discarded'
export type FieldChange = { name: string; here: string; there: string }

export type DirectoryRecord = {
  tenant_id: string
  id: string
  name: string
  kind: DirectoryKind
  host: string
  port: number
  security: 'ldaps' | 'startTls'
  roots: string
  bind_dn: string
  password_sealed: Buffer
  tenant_key_id: string
  base_dn: string
  filter: string
  mapping: Mapping
  group_roles: { group: string; roleId: string }[]
  approval: 'none' | 'person' | 'second'
  invite: boolean
  nightly: boolean
  writable: boolean
  people_base: string
  login_host: string
  delta: string
  owner_id: string
  seen: number
  version: number
  created_at: Date
  night_began_at: Date | null
}
export type EntryRecord = {
  tenant_id: string
  directory_id: string
  guid: string
  user_id: string
  hash: string
  disabled: boolean
  disabled_at: Date | null
}
export type RunRecord = {
  tenant_id: string
  id: string
  directory_id: string
  status: RunStatus
  reason: string
  seen: number
  planned_by: string | null
  planner: string
  approved_by: string | null
  approver: string
  planned_at: Date
  ended_at: Date | null
}
export type ChangeRecord = {
  tenant_id: string
  run_id: string
  position: number
  kind: ChangeKind
  guid: string
  name: string
  user_id: string | null
  fields: FieldChange[]
  role_ids: string[]
  hash: string
  state: 'planned' | 'done' | 'failed'
  says: string
}

type Json<T> = ColumnType<T, string, string>
type Tables = {
  directories: Omit<DirectoryRecord, 'mapping' | 'group_roles'> & {
    mapping: Json<Mapping>
    group_roles: Json<DirectoryRecord['group_roles']>
  }
  directory_entries: EntryRecord
  directory_runs: RunRecord
  directory_changes: Omit<ChangeRecord, 'fields'> & { fields: Json<FieldChange[]> }
}

const tables = (db: Database) => db.withTables<Tables>()

export const findDirectory = ({ db, tenantId }: Tenancy, id: string): Promise<DirectoryRecord | undefined> =>
  tables(db).selectFrom('directories').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const listDirectories = ({ db, tenantId }: Tenancy): Promise<DirectoryRecord[]> =>
  tables(db).selectFrom('directories').selectAll().where('tenant_id', '=', tenantId).orderBy('created_at').execute()

/** Of those that are read by night the ones with which none has begun since, the one that waits longest first. */
export const listDueByNight = ({ db, tenantId }: Tenancy, since: Date): Promise<DirectoryRecord[]> =>
  tables(db)
    .selectFrom('directories')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('nightly', '=', true)
    .where((all) => all.or([all('night_began_at', 'is', null), all('night_began_at', '<', since)]))
    .orderBy('night_began_at', (order) => order.asc().nullsFirst())
    .orderBy('id')
    .execute()

export const updateNight = async ({ db, tenantId, now }: Tenancy, id: string): Promise<void> =>
  void (await tables(db)
    .updateTable('directories')
    .set({ night_began_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const findDirectoryPage = ({ db, tenantId }: Tenancy, part: { page: number; size: number }) =>
  readPage(tables(db).selectFrom('directories').where('tenant_id', '=', tenantId), part, (all) =>
    all.selectAll().orderBy('name').orderBy('id'),
  )

export type DirectoryDraft = Omit<DirectoryRecord, 'tenant_id' | 'seen' | 'delta' | 'version' | 'created_at' | 'night_began_at' | 'id'>

/** Throws where another has the name: the constraint `directories_by_name`. */
export async function insertDirectory({ db, tenantId, now }: Tenancy, id: string, draft: DirectoryDraft): Promise<void> {
  await tables(db)
    .insertInto('directories')
    .values({
      tenant_id: tenantId,
      id,
      ...draft,
      mapping: JSON.stringify(draft.mapping),
      group_roles: JSON.stringify(draft.group_roles),
      seen: 0,
      delta: '',
      version: 1,
      created_at: now,
    })
    .execute()
}

export async function updateDirectory({ db, tenantId }: Tenancy, id: string, draft: DirectoryDraft): Promise<void> {
  await tables(db)
    .updateTable('directories')
    .set((all) => ({
      ...draft,
      mapping: JSON.stringify(draft.mapping),
      group_roles: JSON.stringify(draft.group_roles),
      version: all('version', '+', 1),
      delta: '',
      night_began_at: null,
    }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** Where to go on asking for changes; empty where the next plan reads everything. */
export async function updateDelta({ db, tenantId }: Tenancy, id: string, delta: string): Promise<void> {
  await tables(db)
    .updateTable('directories')
    .set({ delta })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('delta', '!=', delta)
    .execute()
}

export async function updateSeen({ db, tenantId }: Tenancy, id: string, seen: number): Promise<void> {
  await tables(db)
    .updateTable('directories')
    .set({ seen })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('seen', '!=', seen)
    .execute()
}

/** With its plans and with whom it knew. */
export async function deleteDirectory({ db, tenantId }: Tenancy, id: string): Promise<void> {
  await tables(db)
    .deleteFrom('directory_changes')
    .where('tenant_id', '=', tenantId)
    .where('run_id', 'in', (all) =>
      all.selectFrom('directory_runs').select('id').where('tenant_id', '=', tenantId).where('directory_id', '=', id),
    )
    .execute()
  for (const table of ['directory_runs', 'directory_entries'] as const)
    await tables(db).deleteFrom(table).where('tenant_id', '=', tenantId).where('directory_id', '=', id).execute()
  await tables(db).deleteFrom('directories').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

export const listEntries = ({ db, tenantId }: Tenancy, directoryId: string): Promise<EntryRecord[]> =>
  tables(db).selectFrom('directory_entries').selectAll().where('tenant_id', '=', tenantId).where('directory_id', '=', directoryId).execute()

export const findEntry = ({ db, tenantId }: Tenancy, directoryId: string, guid: string): Promise<EntryRecord | undefined> =>
  tables(db)
    .selectFrom('directory_entries')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('directory_id', '=', directoryId)
    .where('guid', '=', guid)
    .executeTakeFirst()

export async function updateEntry({ db, tenantId }: Tenancy, entry: Omit<EntryRecord, 'tenant_id'>): Promise<void> {
  const { hash, disabled, disabled_at } = entry
  await tables(db)
    .insertInto('directory_entries')
    .values({ tenant_id: tenantId, ...entry })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'directory_id', 'guid']).doUpdateSet({ hash, disabled, disabled_at }))
    .execute()
}

/** In which directories a person has an account, by the directory's own id of it. */
export async function entriesOf({ db, tenantId }: Tenancy, userId: string): Promise<EntryRecord[]> {
  return tables(db).selectFrom('directory_entries').selectAll().where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

/** The account is gone there; the person here stays. */
export async function deleteEntry({ db, tenantId }: Tenancy, directoryId: string, guid: string): Promise<void> {
  await tables(db)
    .deleteFrom('directory_entries')
    .where('tenant_id', '=', tenantId)
    .where('directory_id', '=', directoryId)
    .where('guid', '=', guid)
    .execute()
}

/** A person is one entry of one directory: of two accounts with one each, that of the one which is kept stays. */
export async function countEntries({ db, tenantId }: Tenancy, fromId: string, toId: string): Promise<{ moves: number; stays: number }> {
  const rows = await tables(db)
    .selectFrom('directory_entries')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('user_id', 'in', [fromId, toId])
    .execute()
  const [from, to] = [fromId, toId].map((id) => rows.filter((row) => row.user_id === id).length)
  return to === 0 ? { moves: from ?? 0, stays: 0 } : { moves: 0, stays: from ?? 0 }
}

export async function moveEntry(tenancy: Tenancy, fromId: string, toId: string): Promise<void> {
  if ((await countEntries(tenancy, fromId, toId)).moves === 0) return
  await tables(tenancy.db)
    .updateTable('directory_entries')
    .set({ user_id: toId })
    .where('tenant_id', '=', tenancy.tenantId)
    .where('user_id', '=', fromId)
    .execute()
}

export async function deleteEntriesOf(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('directory_entries').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

export async function countPeople({ db, tenantId }: Tenancy): Promise<Map<string, number>> {
  const rows = await tables(db)
    .selectFrom('directory_entries')
    .select((all) => ['directory_id', all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .groupBy('directory_id')
    .execute()
  return new Map(rows.map((row) => [row.directory_id, Number(row.count)]))
}

export async function insertRun(
  { db, tenantId, now }: Tenancy,
  run: Omit<RunRecord, 'tenant_id' | 'planned_at' | 'ended_at' | 'approved_by' | 'approver'>,
) {
  await tables(db)
    .insertInto('directory_runs')
    .values({
      tenant_id: tenantId,
      ...run,
      approved_by: null,
      approver: '',
      planned_at: now,
      ended_at: run.status === 'failed' ? now : null,
    })
    .execute()
}

export async function insertChanges(
  { db, tenantId }: Tenancy,
  runId: string,
  changes: readonly Omit<ChangeRecord, 'tenant_id' | 'run_id'>[],
) {
  for (let first = 0; first < changes.length; first += 1_000)
    await tables(db)
      .insertInto('directory_changes')
      .values(
        changes
          .slice(first, first + 1_000)
          .map((one) => ({ tenant_id: tenantId, run_id: runId, ...one, fields: JSON.stringify(one.fields) })),
      )
      .execute()
}

export const findRun = ({ db, tenantId }: Tenancy, id: string): Promise<RunRecord | undefined> =>
  tables(db).selectFrom('directory_runs').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Held until the transaction ends. */
export const lockRun = ({ db, tenantId }: Tenancy, id: string): Promise<RunRecord | undefined> =>
  tables(db).selectFrom('directory_runs').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

/** The last of each directory. */
export async function findLastRuns({ db, tenantId }: Tenancy): Promise<Map<string, RunRecord>> {
  const rows = await tables(db)
    .selectFrom('directory_runs')
    .selectAll()
    .distinctOn('directory_id')
    .where('tenant_id', '=', tenantId)
    .orderBy('directory_id')
    .orderBy('planned_at', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.directory_id, row]))
}

export const listRunning = ({ db, tenantId }: Tenancy): Promise<RunRecord[]> =>
  tables(db).selectFrom('directory_runs').selectAll().where('tenant_id', '=', tenantId).where('status', '=', 'running').execute()

export async function countWaiting({ db, tenantId }: Tenancy): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('directory_runs')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('status', 'in', ['planned', 'held'])
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function updateRun(
  { db, tenantId }: Tenancy,
  id: string,
  change: Partial<Omit<RunRecord, 'tenant_id' | 'id'>>,
): Promise<void> {
  await tables(db).updateTable('directory_runs').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** What waits of a directory gives way to a newer plan. */
export async function discardWaiting({ db, tenantId, now }: Tenancy, directoryId: string): Promise<void> {
  await tables(db)
    .updateTable('directory_runs')
    .set({ status: 'discarded', ended_at: now })
    .where('tenant_id', '=', tenantId)
    .where('directory_id', '=', directoryId)
    .where('status', 'in', ['planned', 'held'])
    .execute()
}

export const findChangePage = (
  { db, tenantId }: Tenancy,
  runId: string,
  kind: ChangeKind | undefined,
  part: { page: number; size: number },
) =>
  readPage(
    tables(db)
      .selectFrom('directory_changes')
      .where('tenant_id', '=', tenantId)
      .where('run_id', '=', runId)
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? 'new')),
    part,
    (all) => all.selectAll().orderBy('position'),
  )

export async function countChanges(
  { db, tenantId }: Tenancy,
  runId: string,
): Promise<{ kind: ChangeKind; state: ChangeRecord['state']; count: number }[]> {
  const rows = await tables(db)
    .selectFrom('directory_changes')
    .select((all) => ['kind', 'state', all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .groupBy(['kind', 'state'])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** The next that are to be done; a conflict never is. */
export const listOpenChanges = ({ db, tenantId }: Tenancy, runId: string, most: number): Promise<ChangeRecord[]> =>
  tables(db)
    .selectFrom('directory_changes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('state', '=', 'planned')
    .where('kind', '!=', 'conflict')
    .orderBy('position')
    .limit(most)
    .execute()

/** False where it was dealt with meanwhile: another server is at the same run. */
export async function takeChange({ db, tenantId }: Tenancy, { run_id, position }: ChangeRecord): Promise<boolean> {
  const row = await tables(db)
    .selectFrom('directory_changes')
    .select('state')
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', run_id)
    .where('position', '=', position)
    .where('state', '=', 'planned')
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

export async function updateChange(
  { db, tenantId }: Tenancy,
  { run_id, position }: ChangeRecord,
  state: 'done' | 'failed',
  says = '',
): Promise<void> {
  await tables(db)
    .updateTable('directory_changes')
    .set({ state, says })
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', run_id)
    .where('position', '=', position)
    .execute()
}

/** What ended before a moment, with its changes. */
export async function deleteOldRuns({ db, tenantId }: Tenancy, before: Date): Promise<void> {
  const old = await tables(db)
    .selectFrom('directory_runs')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('planned_at', '<', before)
    .where('status', 'not in', ['planned', 'held', 'running'])
    .execute()
  if (old.length === 0) return
  const ids = sql<string>`any(${old.map(({ id }) => id)}::uuid[])`
  await tables(db).deleteFrom('directory_changes').where('tenant_id', '=', tenantId).where('run_id', '=', ids).execute()
  await tables(db).deleteFrom('directory_runs').where('tenant_id', '=', tenantId).where('id', '=', ids).execute()
}
