// What a tenancy has set, by key.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { PlainValue } from '../values.ts'

export type StoredValue = {
  tenant_id: string
  key: string
  value: PlainValue | null
  sealed: Buffer | null
  tenant_key_id: string | null
  set_at: Date
}

type ConfigurationTables = { tenancy_values: StoredValue }

const tables = (db: Database) => db.withTables<ConfigurationTables>()

type Own = Pick<Tenancy, 'db' | 'tenantId'>

export const listValues = ({ db, tenantId }: Own): Promise<StoredValue[]> =>
  tables(db).selectFrom('tenancy_values').selectAll().where('tenant_id', '=', tenantId).execute()

export const findValue = ({ db, tenantId }: Own, key: string): Promise<StoredValue | undefined> =>
  tables(db).selectFrom('tenancy_values').selectAll().where('tenant_id', '=', tenantId).where('key', '=', key).executeTakeFirst()

export async function insertValue(
  { db, tenantId, now }: Tenancy,
  { key, value, sealed, tenant_key_id }: Omit<StoredValue, 'tenant_id' | 'set_at'>,
): Promise<void> {
  const columns = {
    value: value === null ? null : sql<PlainValue>`${JSON.stringify(value)}::jsonb`,
    sealed,
    tenant_key_id,
    set_at: now,
  }
  await tables(db)
    .insertInto('tenancy_values')
    .values({ tenant_id: tenantId, key, ...columns })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'key']).doUpdateSet(columns))
    .execute()
}

export const deleteValue = async ({ db, tenantId }: Own, key: string): Promise<void> =>
  void (await tables(db).deleteFrom('tenancy_values').where('tenant_id', '=', tenantId).where('key', '=', key).execute())
