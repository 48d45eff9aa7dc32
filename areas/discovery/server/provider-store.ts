// Providers that are asked for certificates beside the network, each with its last reading.

import { sql, type Generated } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { ProviderKind, ProviderState } from '../rules.ts'

export type ProviderRecord = {
  tenant_id: string
  id: string
  kind: ProviderKind
  name: string
  url: string
  scope: string
  roots: string
  account: string
  login: string
  sealed_secret: Buffer | null
  tenant_key_id: string | null
  every_hours: number
  next_at: Date | null
  state: ProviderState
  says: string
  cursor: string
  found: number
  fresh: number
  changed: number
  refused: number
  pages: number
  turn_at: Date | null
  started_at: Date | null
  ended_at: Date | null
  version: number
}
type Defaulted = 'state' | 'says' | 'cursor' | 'found' | 'fresh' | 'changed' | 'refused' | 'pages' | 'version'
type Tables = { discovery_providers: Omit<ProviderRecord, Defaulted> & { [K in Defaulted]: Generated<ProviderRecord[K]> } }
const tables = (db: Database) => db.withTables<Tables>()
const all = ({ db, tenantId }: Tenancy) => tables(db).selectFrom('discovery_providers').selectAll().where('tenant_id', '=', tenantId)

export const listProviders = (tenancy: Tenancy, kind: ProviderKind): Promise<ProviderRecord[]> =>
  all(tenancy).where('kind', '=', kind).orderBy('name').execute()

/** Those that are being read, and those whose time has come; who waited longest first. */
export const listDueProviders = (tenancy: Tenancy): Promise<ProviderRecord[]> =>
  all(tenancy)
    .where((of) => of.or([of('state', 'in', ['waiting', 'running', 'stopping']), of('next_at', '<=', tenancy.now)]))
    .orderBy('turn_at', (order) => order.asc().nullsFirst())
    .orderBy('id')
    .execute()

export const findProvider = (tenancy: Tenancy, id: string): Promise<ProviderRecord | undefined> =>
  all(tenancy).where('id', '=', id).executeTakeFirst()

/** Locked until the commit. */
export const lockProvider = (tenancy: Tenancy, id: string): Promise<ProviderRecord | undefined> =>
  all(tenancy).where('id', '=', id).forUpdate().executeTakeFirst()

export type ProviderValues = Pick<
  ProviderRecord,
  'name' | 'url' | 'scope' | 'roots' | 'account' | 'login' | 'sealed_secret' | 'tenant_key_id' | 'every_hours' | 'next_at'
>

export const insertProvider = async (
  { db, tenantId }: Tenancy,
  values: ProviderValues & Pick<ProviderRecord, 'id' | 'kind'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('discovery_providers')
    .values({ tenant_id: tenantId, ...values, turn_at: null, started_at: null, ended_at: null })
    .execute())

export const updateProvider = async ({ db, tenantId }: Tenancy, id: string, values: ProviderValues): Promise<void> =>
  void (await tables(db)
    .updateTable('discovery_providers')
    .set((of) => ({ ...values, version: of('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** How its reading goes, which is no change of the provider. */
export const updateReading = async (
  { db, tenantId }: Tenancy,
  id: string,
  values: Partial<
    Pick<
      ProviderRecord,
      'state' | 'says' | 'cursor' | 'found' | 'fresh' | 'changed' | 'refused' | 'pages' | 'turn_at' | 'started_at' | 'ended_at' | 'next_at'
    >
  >,
): Promise<void> =>
  void (await tables(db).updateTable('discovery_providers').set(values).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

/** Counts a page, whose findings are in the same commit. */
export const updatePage = async (
  { db, tenantId }: Tenancy,
  id: string,
  by: Pick<ProviderRecord, 'cursor' | 'found' | 'fresh' | 'changed' | 'refused'>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('discovery_providers')
    .set({
      cursor: by.cursor,
      found: sql`found + ${by.found}::int`,
      fresh: sql`fresh + ${by.fresh}::int`,
      changed: sql`changed + ${by.changed}::int`,
      refused: sql`refused + ${by.refused}::int`,
      pages: sql`pages + 1`,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const deleteProvider = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('discovery_providers').where('tenant_id', '=', tenantId).where('id', '=', id).execute())
