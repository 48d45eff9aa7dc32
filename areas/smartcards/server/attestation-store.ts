// Whose cards a tenancy believes.

import type { Tenancy } from '#core/server/tenancy.ts'
import { tables, type AttestationRecord } from './store.ts'

export const findAttestation = ({ db, tenantId }: Tenancy): Promise<AttestationRecord | undefined> =>
  tables(db).selectFrom('card_attestation').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()

export const putAttestation = async (
  { db, tenantId, now }: Tenancy,
  row: Pick<AttestationRecord, 'roots' | 'accepts_virtual'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('card_attestation')
    .values({ tenant_id: tenantId, ...row, changed_at: now })
    .onConflict((conflict) => conflict.columns(['tenant_id']).doUpdateSet({ ...row, changed_at: now }))
    .execute())
