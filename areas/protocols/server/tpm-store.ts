// Every question about attempts to attest a key by a TPM.

import { readPage } from '#core/server/page-store.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { tables, type TpmAttemptRecord } from './store.ts'

export const insertTpmAttempt = async ({ db }: Tenancy, record: TpmAttemptRecord): Promise<void> =>
  void (await tables(db).insertInto('tpm_attempts').values(record).execute())

/** Takes an attempt, whoever else comes at the same moment. Undefined where it is not this person's, was taken, or is over. */
export const takeTpmAttempt = ({ db, tenantId, now }: Tenancy, id: string, requesterId: string): Promise<TpmAttemptRecord | undefined> =>
  tables(db)
    .updateTable('tpm_attempts')
    .set({ state: 'taken' })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('requester_id', '=', requesterId)
    .where('state', '=', 'prepared')
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()

export const updateTpmAttempt = async (
  { db, tenantId }: Tenancy,
  id: string,
  change: Partial<Pick<TpmAttemptRecord, 'state' | 'reason' | 'request_id'>>,
): Promise<void> =>
  void (await tables(db).updateTable('tpm_attempts').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export const listTpmAttempts = ({ db, tenantId }: Tenancy, page: { page: number; size: number }) =>
  readPage(tables(db).selectFrom('tpm_attempts').where('tenant_id', '=', tenantId), page, (all) =>
    all.selectAll().orderBy('created_at', 'desc').orderBy('id'),
  )

export const deleteOldTpmAttempts = async ({ db, tenantId }: Tenancy, before: Date): Promise<void> =>
  void (await tables(db).deleteFrom('tpm_attempts').where('tenant_id', '=', tenantId).where('created_at', '<', before).execute())
