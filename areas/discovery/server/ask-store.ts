// What is asked to be scanned, in the management tenancy.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type AskRecord = {
  tenant_id: string
  network_id: string
  asking_tenant_id: string
  asking_tenancy: string
  cidr: string
  proposed_by: string
  proposed_at: Date
}
const tables = (db: Database) => db.withTables<{ discovery_asks: AskRecord }>()

/** Told twice, it stands once. */
export const insertAsk = async ({ db, tenantId }: Tenancy, values: Omit<AskRecord, 'tenant_id'>): Promise<void> =>
  void (await tables(db)
    .insertInto('discovery_asks')
    .values({ tenant_id: tenantId, ...values })
    .onConflict((conflict) => conflict.doNothing())
    .execute())

export const findAsk = ({ db, tenantId }: Tenancy, networkId: string): Promise<AskRecord | undefined> =>
  tables(db)
    .selectFrom('discovery_asks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('network_id', '=', networkId)
    .executeTakeFirst()

export const deleteAsk = async ({ db, tenantId }: Tenancy, networkId: string): Promise<void> =>
  void (await tables(db).deleteFrom('discovery_asks').where('tenant_id', '=', tenantId).where('network_id', '=', networkId).execute())

export const listAsks = ({ db, tenantId }: Tenancy, most: number): Promise<AskRecord[]> =>
  tables(db)
    .selectFrom('discovery_asks')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('proposed_at')
    .orderBy('network_id')
    .limit(most)
    .execute()

export async function countAsks(db: Database, tenantId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('discovery_asks')
    .where('tenant_id', '=', tenantId)
    .select((all) => all.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
