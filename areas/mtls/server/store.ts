// The policy of each tenancy, the authorities that lead to a tenancy, and the sign-ins on their way.

import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { Mapping } from '../rules.ts'

export type PolicyRecord = {
  tenant_id: string
  enabled: boolean
  authorities: string[]
  mapping: Mapping
  strong: boolean
  version: number
}

export type AttemptRecord = {
  state_hash: string
  binding_hash: string
  ticket_hash: string | null
  redirect: string
  expires_at: Date
  shown_at: Date | null
  tenant_id: string | null
  certificate_id: string | null
}

type MtlsTables = {
  certificate_sign_in: PolicyRecord
  sign_in_authorities: { key_id: string; tenant_id: string; ca_id: string }
  certificate_attempts: AttemptRecord
}

const tables = (db: Database) => db.withTables<MtlsTables>()

export const findPolicy = ({ db, tenantId }: Tenancy): Promise<PolicyRecord | undefined> =>
  tables(db).selectFrom('certificate_sign_in').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()

/** Locks the row until the commit: a change waits for a sign-in, and the sign-in for the change. */
export const lockPolicy = ({ db, tenantId }: Tenancy): Promise<PolicyRecord | undefined> =>
  tables(db).selectFrom('certificate_sign_in').selectAll().where('tenant_id', '=', tenantId).forUpdate().executeTakeFirst()

/** False where somebody changed it since `version`. */
export async function updatePolicy(
  { db, tenantId }: Tenancy,
  version: number,
  policy: Omit<PolicyRecord, 'tenant_id' | 'version'>,
): Promise<boolean> {
  const next = { ...policy, version: version + 1 }
  const written =
    version === 0
      ? await tables(db)
          .insertInto('certificate_sign_in')
          .values({ tenant_id: tenantId, ...next })
          .onConflict((conflict) => conflict.doNothing())
          .returning('version')
          .executeTakeFirst()
      : await tables(db)
          .updateTable('certificate_sign_in')
          .set(next)
          .where('tenant_id', '=', tenantId)
          .where('version', '=', version)
          .returning('version')
          .executeTakeFirst()
  return written !== undefined
}

/** Makes these the authorities that lead to the tenancy. */
export async function replaceAuthorities({ db, tenantId }: Tenancy, all: readonly { keyId: string; caId: string }[]): Promise<void> {
  await tables(db).deleteFrom('sign_in_authorities').where('tenant_id', '=', tenantId).execute()
  if (all.length > 0)
    await tables(db)
      .insertInto('sign_in_authorities')
      .values(all.map(({ keyId, caId }) => ({ key_id: keyId, tenant_id: tenantId, ca_id: caId })))
      .execute()
}

/** The tenancies that an authority with this key may belong to. Read before anybody is signed in. */
export const findAuthorities = (db: Database, keyId: string): Promise<{ tenant_id: string; ca_id: string }[]> =>
  tables(db).selectFrom('sign_in_authorities').select(['tenant_id', 'ca_id']).where('key_id', '=', keyId).limit(20).execute()

export const anyAuthority = async (db: Database): Promise<boolean> =>
  (await tables(db).selectFrom('sign_in_authorities').select('ca_id').limit(1).executeTakeFirst()) !== undefined

export const insertAttempt = async (
  db: Database,
  row: Pick<AttemptRecord, 'state_hash' | 'binding_hash' | 'redirect' | 'expires_at'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('certificate_attempts')
    .values({ ...row, shown_at: null, ticket_hash: null, tenant_id: null, certificate_id: null })
    .execute())

/** Notes which certificate was shown, once. False where nothing was noted: the attempt is over, or was shown one already. */
export const updateAttempt = async (
  db: Database,
  stateHash: string,
  { at, found, ticketHash }: { at: Date; found: { tenantId: string; certificateId: string } | undefined; ticketHash: string },
): Promise<boolean> =>
  (await tables(db)
    .updateTable('certificate_attempts')
    .set({ shown_at: at, ticket_hash: ticketHash, tenant_id: found?.tenantId ?? null, certificate_id: found?.certificateId ?? null })
    .where('state_hash', '=', stateHash)
    .where('shown_at', 'is', null)
    .where('expires_at', '>', at)
    .returning('state_hash')
    .executeTakeFirst()) !== undefined

/** Deletes the attempt and answers it: each is taken once. */
export const deleteAttempt = (db: Database, stateHash: string): Promise<AttemptRecord | undefined> =>
  tables(db).deleteFrom('certificate_attempts').where('state_hash', '=', stateHash).returningAll().executeTakeFirst()

export async function deleteEnded(db: Database, now: Date): Promise<void> {
  await tables(db).deleteFrom('certificate_attempts').where('expires_at', '<', now).execute()
}
