// The looks of the hosts of a tenancy.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type BrandingRecord = {
  tenant_id: string
  host: string
  alt_app_name: string
  primary_colour: string
  secondary_colour: string
  tertiary_colour: string
  icon: Buffer | null
  icon_type: string | null
  logo_contains_app_name: boolean
  made_at: Date
}

type BrandingTables = { host_brandings: BrandingRecord }

const tables = (db: Database) => db.withTables<BrandingTables>()

type Own = Pick<Tenancy, 'db' | 'tenantId'>

const ofTenancy = ({ db, tenantId }: Own) => tables(db).selectFrom('host_brandings').where('tenant_id', '=', tenantId)

export const listBrandings = (tenancy: Own): Promise<BrandingRecord[]> => ofTenancy(tenancy).selectAll().orderBy('host').execute()

/** The oldest first: it is the look of mail. */
export const listHosts = async (tenancy: Own): Promise<string[]> =>
  (await ofTenancy(tenancy).select('host').orderBy('made_at').orderBy('host').execute()).map(({ host }) => host)

export const findBranding = (tenancy: Own, host: string): Promise<BrandingRecord | undefined> =>
  ofTenancy(tenancy).selectAll().where('host', '=', host).executeTakeFirst()

/** Without `icon` the one that is there stays. */
export async function insertBranding(
  { db, tenantId, now }: Tenancy,
  { host, ...values }: Omit<BrandingRecord, 'tenant_id' | 'made_at' | 'icon' | 'icon_type'>,
  icon: Pick<BrandingRecord, 'icon' | 'icon_type'> | undefined,
): Promise<void> {
  await tables(db)
    .insertInto('host_brandings')
    .values({ tenant_id: tenantId, host, ...values, ...(icon ?? { icon: null, icon_type: null }), made_at: now })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'host']).doUpdateSet({ ...values, ...icon }))
    .execute()
}

/** Answers whether there was one. */
export async function deleteBranding({ db, tenantId }: Own, host: string): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom('host_brandings')
    .where('tenant_id', '=', tenantId)
    .where('host', '=', host)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
