// Every question about the applications by which Microsoft Intune is asked.

import type { Tenancy } from '#core/server/tenancy.ts'
import { tables, type IntuneRecord } from './store.ts'

export const findIntune = ({ db, tenantId }: Tenancy, profileId: string): Promise<IntuneRecord | undefined> =>
  tables(db)
    .selectFrom('enrolment_intune')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('profile_id', '=', profileId)
    .executeTakeFirst()

/** Sets all of it, whether there is one or not. */
export async function putIntune({ db, tenantId }: Tenancy, row: Omit<IntuneRecord, 'tenant_id' | 'version'>): Promise<void> {
  const { profile_id: _, ...change } = row
  await tables(db)
    .insertInto('enrolment_intune')
    .values({ tenant_id: tenantId, version: 1, ...row })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'profile_id']).doUpdateSet((all) => ({ ...change, version: all('enrolment_intune.version', '+', 1) })),
    )
    .execute()
}

/** Answers whether there was one. */
export async function deleteIntune({ db, tenantId }: Tenancy, profileId: string): Promise<boolean> {
  const gone = await tables(db)
    .deleteFrom('enrolment_intune')
    .where('tenant_id', '=', tenantId)
    .where('profile_id', '=', profileId)
    .returning('profile_id')
    .executeTakeFirst()
  return gone !== undefined
}
