// Networks that may be scanned, scans and their runs.

import { sql, type Generated } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { PortProtocol, RunState } from '../rules.ts'

export type NetworkRecord = {
  tenant_id: string
  id: string
  cidr: string
  note: string
  state: 'proposed' | 'allowed' | 'refused'
  proposed_by: string
  decided_by: string
  proposed_at: Date
  decided_at: Date | null
}
export type SourceRecord = {
  tenant_id: string
  id: string
  name: string
  targets: string[]
  exclusions: string[]
  ports: number[]
  names: string[]
  start_tls: PortProtocol[]
  rate: number
  every_hours: number
  quiet_from: number | null
  quiet_to: number | null
  next_at: Date | null
  version: number
}
export type RunRecord = {
  tenant_id: string
  id: string
  source_id: string
  state: RunState
  started_by: string
  started_at: Date
  ended_at: Date | null
  position: number
  total: number
  answered: number
  fresh: number
  changed: number
  refused: number
  says: string
}
type Counted = 'position' | 'answered' | 'fresh' | 'changed' | 'refused' | 'says'
type Tables = {
  discovery_networks: Omit<NetworkRecord, 'decided_by'> & { decided_by: Generated<string> }
  discovery_sources: Omit<SourceRecord, 'version'> & { version: Generated<number> }
  discovery_runs: Omit<RunRecord, Counted> & { [K in Counted]: Generated<RunRecord[K]> }
}
const tables = (db: Database) => db.withTables<Tables>()

export const listNetworks = ({ db, tenantId }: Tenancy): Promise<NetworkRecord[]> =>
  tables(db).selectFrom('discovery_networks').selectAll().where('tenant_id', '=', tenantId).orderBy('cidr').execute()

export const lockNetwork = ({ db, tenantId }: Tenancy, id: string): Promise<NetworkRecord | undefined> =>
  tables(db)
    .selectFrom('discovery_networks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const insertNetwork = async (
  { db, tenantId, now }: Tenancy,
  values: Pick<NetworkRecord, 'id' | 'cidr' | 'note' | 'state' | 'proposed_by'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('discovery_networks')
    .values({ tenant_id: tenantId, ...values, proposed_at: now, decided_at: null })
    .execute())

export const updateNetwork = async (
  { db, tenantId, now }: Tenancy,
  id: string,
  values: Pick<NetworkRecord, 'state' | 'decided_by'>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('discovery_networks')
    .set({ ...values, decided_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const deleteNetwork = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('discovery_networks').where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export const listSources = ({ db, tenantId }: Tenancy): Promise<SourceRecord[]> =>
  tables(db).selectFrom('discovery_sources').selectAll().where('tenant_id', '=', tenantId).orderBy('name').execute()

export const findSource = ({ db, tenantId }: Tenancy, id: string): Promise<SourceRecord | undefined> =>
  tables(db).selectFrom('discovery_sources').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const lockSource = ({ db, tenantId }: Tenancy, id: string): Promise<SourceRecord | undefined> =>
  tables(db)
    .selectFrom('discovery_sources')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export type SourceValues = Omit<SourceRecord, 'tenant_id' | 'id' | 'version'>
/** The driver would write a list as an array of the database. */
const written = (values: SourceValues) => ({ ...values, start_tls: sql<PortProtocol[]>`${JSON.stringify(values.start_tls)}::jsonb` })

export const insertSource = async ({ db, tenantId }: Tenancy, id: string, values: SourceValues): Promise<void> =>
  void (await tables(db)
    .insertInto('discovery_sources')
    .values({ tenant_id: tenantId, id, ...written(values) })
    .execute())

export const updateSource = async ({ db, tenantId }: Tenancy, id: string, values: SourceValues): Promise<void> =>
  void (await tables(db)
    .updateTable('discovery_sources')
    .set((all) => ({ ...written(values), version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** When it runs next, which is no change of the scan. */
export const updateNext = async ({ db, tenantId }: Tenancy, id: string, nextAt: Date | null): Promise<void> =>
  void (await tables(db)
    .updateTable('discovery_sources')
    .set({ next_at: nextAt })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const deleteSource = async ({ db, tenantId }: Tenancy, id: string): Promise<void> => {
  await tables(db).deleteFrom('discovery_runs').where('tenant_id', '=', tenantId).where('source_id', '=', id).execute()
  await tables(db).deleteFrom('discovery_sources').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

const open: RunState[] = ['waiting', 'running', 'paused', 'stopping']

export const listOpenRuns = ({ db, tenantId }: Tenancy): Promise<RunRecord[]> =>
  tables(db)
    .selectFrom('discovery_runs')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('state', 'in', open)
    .orderBy('started_at')
    .orderBy('id')
    .execute()

export const findRun = ({ db, tenantId }: Tenancy, id: string): Promise<RunRecord | undefined> =>
  tables(db).selectFrom('discovery_runs').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const lockRun = ({ db, tenantId }: Tenancy, id: string): Promise<RunRecord | undefined> =>
  tables(db).selectFrom('discovery_runs').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

/** The last run of each of these scans. */
export async function findLastRuns({ db, tenantId }: Tenancy): Promise<Map<string, RunRecord>> {
  const rows = await tables(db)
    .selectFrom('discovery_runs')
    .selectAll()
    .distinctOn('source_id')
    .where('tenant_id', '=', tenantId)
    .orderBy('source_id')
    .orderBy('started_at', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.source_id, row]))
}

export const pageOfRuns = ({ db, tenantId }: Tenancy, sourceId: string, page: { page: number; size: number }) =>
  readPage(tables(db).selectFrom('discovery_runs').where('tenant_id', '=', tenantId).where('source_id', '=', sourceId), page, (all) =>
    all.selectAll().orderBy('started_at', 'desc').orderBy('id'),
  )

/** Throws where the scan is running: the constraint `discovery_runs_open`. */
export const insertRun = async (
  { db, tenantId, now }: Tenancy,
  run: Pick<RunRecord, 'id' | 'source_id' | 'started_by' | 'total'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('discovery_runs')
    .values({ tenant_id: tenantId, ...run, state: 'waiting', started_at: now, ended_at: null })
    .execute())

export const updateRun = async (
  { db, tenantId }: Tenancy,
  id: string,
  values: Partial<Pick<RunRecord, 'state' | 'ended_at' | 'says'>>,
): Promise<void> =>
  void (await tables(db).updateTable('discovery_runs').set(values).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

/** Counts a part of a run, whose results are in the same commit. */
export const updateProgress = async (
  { db, tenantId }: Tenancy,
  id: string,
  by: Pick<RunRecord, 'position' | 'answered' | 'fresh' | 'changed' | 'refused'>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('discovery_runs')
    .set({
      position: by.position,
      answered: sql`answered + ${by.answered}::int`,
      fresh: sql`fresh + ${by.fresh}::int`,
      changed: sql`changed + ${by.changed}::int`,
      refused: sql`refused + ${by.refused}::int`,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())
