// The tables of applets and of the keys of card managers, and every question that is asked of them.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type AppletRecord = {
  tenant_id: string
  applet_id: string
  name: string
  version: string
  enabled: boolean
  package_id: string
  file: Buffer | null
  sha256: string
  changed_at: Date
}
export type ConfigRecord = {
  tenant_id: string
  hardware: string
  master_sealed: Buffer
  tenant_key_id: string
  check_value: string
  key_version: number
  changed_at: Date
}
type RefusedRecord = { tenant_id: string; card: string; check_value: string; at: Date }
type Tables = { card_applets: AppletRecord; card_manager_keys: ConfigRecord; refused_card_managers: RefusedRecord }

const tables = (db: Database) => db.withTables<Tables>()

/** Without their files, of which each may have half a megabyte. */
export const listApplets = ({ db, tenantId }: Tenancy): Promise<Omit<AppletRecord, 'file'>[]> =>
  tables(db)
    .selectFrom('card_applets')
    .select(['tenant_id', 'applet_id', 'name', 'version', 'enabled', 'package_id', 'sha256', 'changed_at'])
    .where('tenant_id', '=', tenantId)
    .orderBy('applet_id')
    .execute()

/** Those that can be loaded, with their files. */
export const listLoadable = ({ db, tenantId }: Tenancy): Promise<AppletRecord[]> =>
  tables(db)
    .selectFrom('card_applets')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('enabled', '=', true)
    .where('file', 'is not', null)
    .orderBy('applet_id')
    .execute()

export const findApplet = ({ db, tenantId }: Tenancy, appletId: string): Promise<AppletRecord | undefined> =>
  tables(db).selectFrom('card_applets').selectAll().where('tenant_id', '=', tenantId).where('applet_id', '=', appletId).executeTakeFirst()

/** Undefined where there is one already. */
export const insertApplet = (
  { db, tenantId, now }: Tenancy,
  row: Omit<AppletRecord, 'tenant_id' | 'changed_at'>,
): Promise<AppletRecord | undefined> =>
  tables(db)
    .insertInto('card_applets')
    .values({ tenant_id: tenantId, changed_at: now, ...row })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'applet_id']).doNothing())
    .returningAll()
    .executeTakeFirst()

export const updateApplet = (
  { db, tenantId, now }: Tenancy,
  appletId: string,
  change: Partial<Omit<AppletRecord, 'tenant_id' | 'applet_id' | 'changed_at'>>,
): Promise<AppletRecord | undefined> =>
  tables(db)
    .updateTable('card_applets')
    .set({ ...change, changed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('applet_id', '=', appletId)
    .returningAll()
    .executeTakeFirst()

export async function deleteApplet({ db, tenantId }: Tenancy, appletId: string): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom('card_applets')
    .where('tenant_id', '=', tenantId)
    .where('applet_id', '=', appletId)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

export const listConfigs = ({ db, tenantId }: Tenancy): Promise<ConfigRecord[]> =>
  tables(db).selectFrom('card_manager_keys').selectAll().where('tenant_id', '=', tenantId).orderBy('hardware').execute()

/** Undefined where there is one already. */
export const insertConfig = (
  { db, tenantId, now }: Tenancy,
  row: Omit<ConfigRecord, 'tenant_id' | 'changed_at'>,
): Promise<ConfigRecord | undefined> =>
  tables(db)
    .insertInto('card_manager_keys')
    .values({ tenant_id: tenantId, changed_at: now, ...row })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'hardware']).doNothing())
    .returningAll()
    .executeTakeFirst()

export const updateConfig = ({ db, tenantId, now }: Tenancy, hardware: string, keyVersion: number): Promise<ConfigRecord | undefined> =>
  tables(db)
    .updateTable('card_manager_keys')
    .set({ key_version: keyVersion, changed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('hardware', '=', hardware)
    .returningAll()
    .executeTakeFirst()

export const deleteConfig = ({ db, tenantId }: Tenancy, hardware: string): Promise<ConfigRecord | undefined> =>
  tables(db)
    .deleteFrom('card_manager_keys')
    .where('tenant_id', '=', tenantId)
    .where('hardware', '=', hardware)
    .returningAll()
    .executeTakeFirst()

export const hasRefused = async ({ db, tenantId }: Tenancy, card: string, checkValue: string): Promise<boolean> =>
  (await tables(db)
    .selectFrom('refused_card_managers')
    .select('card')
    .where('tenant_id', '=', tenantId)
    .where('card', '=', card)
    .where('check_value', '=', checkValue)
    .executeTakeFirst()) !== undefined

export const noteRefused = async ({ db, tenantId, now }: Tenancy, card: string, checkValue: string): Promise<void> =>
  void (await tables(db)
    .insertInto('refused_card_managers')
    .values({ tenant_id: tenantId, card, check_value: checkValue, at: now })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'card', 'check_value']).doUpdateSet({ at: now }))
    .execute())

export const forgetRefused = async ({ db, tenantId }: Tenancy, card: string, checkValue: string): Promise<void> =>
  void (await tables(db)
    .deleteFrom('refused_card_managers')
    .where('tenant_id', '=', tenantId)
    .where('card', '=', card)
    .where('check_value', '=', checkValue)
    .execute())
