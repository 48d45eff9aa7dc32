// Locations and VLANs.

import { sql, type Generated } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { locationKinds } from '../rules.ts'

export type LocationRecord = {
  tenant_id: string
  id: string
  parent_id: string | null
  kind: (typeof locationKinds)[number]
  name: string
  code: string
  time_zone: string
  contact: string
  note: string
  receives: boolean
  desk: string
  hours: string
  pass_types: string[]
  printer: string
  access_group: string
  version: number
}
export type VlanRecord = {
  tenant_id: string
  id: string
  group_name: string
  vid: number
  name: string
  location_id: string | null
  note: string
  version: number
}
type Defaulted = 'receives' | 'desk' | 'hours' | 'pass_types' | 'printer' | 'access_group' | 'version'
type PlaceTables = {
  locations: Omit<LocationRecord, Defaulted> & { [K in Defaulted]: Generated<LocationRecord[K]> }
  vlans: Omit<VlanRecord, 'version'> & { version: Generated<number> }
}
const tables = (db: Database) => db.withTables<PlaceTables>()

export const listLocations = ({ db, tenantId }: Tenancy): Promise<LocationRecord[]> =>
  tables(db).selectFrom('locations').selectAll().where('tenant_id', '=', tenantId).orderBy('name').orderBy('id').execute()

export type LocationValues = Pick<LocationRecord, 'parent_id' | 'kind' | 'name' | 'code' | 'time_zone' | 'contact' | 'note'>

export const insertLocation = async ({ db, tenantId }: Tenancy, id: string, values: LocationValues): Promise<void> =>
  void (await tables(db)
    .insertInto('locations')
    .values({ tenant_id: tenantId, id, ...values })
    .execute())

export const updateLocation = async (
  { db, tenantId }: Tenancy,
  id: string,
  values: Partial<Omit<LocationRecord, 'tenant_id' | 'id' | 'version'>>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('locations')
    .set((all) => ({ ...values, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const deleteLocation = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('locations').where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export const pageOfVlans = ({ db, tenantId }: Tenancy, text: string, page: { page: number; size: number }) =>
  readPage(
    tables(db)
      .selectFrom('vlans')
      .where('tenant_id', '=', tenantId)
      .$if(text !== '', (query) =>
        query.where(
          sql<boolean>`(strpos(lower(name), ${text.toLowerCase()}) > 0 or vid::text = ${text} or strpos(lower(group_name), ${text.toLowerCase()}) > 0)`,
        ),
      ),
    page,
    (all) => all.selectAll().orderBy('group_name').orderBy('vid').orderBy('id'),
  )

export const listVlans = ({ db, tenantId }: Tenancy): Promise<VlanRecord[]> =>
  tables(db).selectFrom('vlans').selectAll().where('tenant_id', '=', tenantId).orderBy('group_name').orderBy('vid').execute()

export const findVlan = ({ db, tenantId }: Tenancy, id: string): Promise<VlanRecord | undefined> =>
  tables(db).selectFrom('vlans').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

type VlanValues = Pick<VlanRecord, 'group_name' | 'vid' | 'name' | 'location_id' | 'note'>

export const insertVlan = async ({ db, tenantId }: Tenancy, id: string, values: VlanValues): Promise<void> =>
  void (await tables(db)
    .insertInto('vlans')
    .values({ tenant_id: tenantId, id, ...values })
    .execute())

export const updateVlan = async ({ db, tenantId }: Tenancy, id: string, values: VlanValues): Promise<void> =>
  void (await tables(db)
    .updateTable('vlans')
    .set((all) => ({ ...values, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

export const deleteVlan = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('vlans').where('tenant_id', '=', tenantId).where('id', '=', id).execute())
