// Systems that manage devices. The token is sealed under the tenancy's key.

import type { Generated } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type MdmRecord = {
  tenant_id: string
  id: string
  name: string
  url: string
  roots: string
  device_type: string
  active: boolean
  sealed_token: Buffer
  tenant_key_id: string
  state: 'new' | 'done' | 'failed'
  says: string
  seen: number
  synced_at: Date | null
  added_at: Date
  version: number
}
const tables = (db: Database) => db.withTables<{ mdm_sources: Omit<MdmRecord, 'version'> & { version: Generated<number> } }>()

export const pageOfSources = ({ db, tenantId }: Tenancy, text: string, page: { page: number; size: number }) =>
  readPage(
    tables(db)
      .selectFrom('mdm_sources')
      .where('tenant_id', '=', tenantId)
      .$if(text !== '', (query) =>
        query.where((all) => all(all.fn<string>('lower', ['name']), 'like', `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`)),
      ),
    page,
    (all) => all.selectAll().orderBy('name').orderBy('id'),
  )

/** Those that are read by themselves and were not since then, the one that waits longest first. */
export const listDue = ({ db, tenantId }: Tenancy, before: Date): Promise<MdmRecord[]> =>
  tables(db)
    .selectFrom('mdm_sources')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('active', '=', true)
    .where((all) => all.or([all('synced_at', 'is', null), all('synced_at', '<', before)]))
    .orderBy('synced_at', (order) => order.asc().nullsFirst())
    .orderBy('id')
    .execute()

export const findSource = ({ db, tenantId }: Tenancy, id: string): Promise<MdmRecord | undefined> =>
  tables(db).selectFrom('mdm_sources').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export type MdmValues = Pick<MdmRecord, 'name' | 'url' | 'roots' | 'device_type' | 'active' | 'sealed_token' | 'tenant_key_id'>

export const insertSource = async ({ db, tenantId, now }: Tenancy, id: string, values: MdmValues): Promise<void> =>
  void (await tables(db)
    .insertInto('mdm_sources')
    .values({ tenant_id: tenantId, id, ...values, state: 'new', says: '', seen: 0, synced_at: null, added_at: now })
    .execute())

export const updateSource = async ({ db, tenantId }: Tenancy, id: string, values: MdmValues): Promise<void> =>
  void (await tables(db)
    .updateTable('mdm_sources')
    .set((all) => ({ ...values, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** How the last reading went, which is no change of the source. */
export const updateReading = async (
  { db, tenantId, now }: Tenancy,
  id: string,
  values: Pick<MdmRecord, 'state' | 'says' | 'seen'>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('mdm_sources')
    .set({ ...values, synced_at: now })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const deleteSource = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('mdm_sources').where('tenant_id', '=', tenantId).where('id', '=', id).execute())
