// Passkeys and the challenges that were answered: the tables, and every question that is asked of them. The policy has a store of its own.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'

export type PasskeyRecord = {
  tenant_id: string
  id: string
  user_id: string
  credential_id: string
  public_key: Buffer
  algorithm: number
  counter: string
  custom_name: string
  aaguid: string
  attestation: 'none' | 'unverified' | 'verified'
  backup_eligible: boolean
  backed_up: boolean
  transports: string[]
  rp_id: string
  created_at: Date
  last_used_at: Date | null
  blocked_at: Date | null
}

type PasskeyTables = {
  passkeys: Omit<PasskeyRecord, 'counter'> & { counter: number | string }
  spent_challenges: { challenge_hash: string; expires_at: Date }
}

const tables = (db: Database) => db.withTables<PasskeyTables>()

const all = ({ db, tenantId }: Tenancy) => tables(db).selectFrom('passkeys').selectAll().where('tenant_id', '=', tenantId)

/** Those of one person, the first first. */
export const listPasskeys = (tenancy: Tenancy, userId: string) =>
  all(tenancy).where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute()

export const listAllPasskeys = (tenancy: Tenancy) => all(tenancy).execute()

export const findCredential = (tenancy: Tenancy, credentialId: string) =>
  all(tenancy).where('credential_id', '=', credentialId).executeTakeFirst()

/** Locks the row until the commit, so that two answers of one passkey are judged one after the other. */
export const lockCredential = (tenancy: Tenancy, credentialId: string) =>
  all(tenancy).where('credential_id', '=', credentialId).forUpdate().executeTakeFirst()

export type FoundPasskey = NonNullable<Awaited<ReturnType<typeof findCredential>>>

/** Throws where the credential is registered: the constraint `passkeys_by_credential`. */
export const insertPasskey = async (
  { db, tenantId, now }: Tenancy,
  row: Omit<PasskeyTables['passkeys'], 'tenant_id' | 'created_at' | 'last_used_at' | 'blocked_at'>,
): Promise<void> =>
  void (await tables(db)
    .insertInto('passkeys')
    .values({ tenant_id: tenantId, ...row, created_at: now, last_used_at: null, blocked_at: null })
    .execute())

export const updatePasskey = async (
  { db, tenantId }: Tenancy,
  id: string,
  changes: Partial<Pick<PasskeyTables['passkeys'], 'custom_name' | 'counter' | 'backed_up' | 'last_used_at' | 'blocked_at'>>,
): Promise<void> =>
  void (await tables(db).updateTable('passkeys').set(changes).where('tenant_id', '=', tenantId).where('id', '=', id).execute())

export const deletePasskey = async ({ db, tenantId }: Tenancy, id: string): Promise<void> =>
  void (await tables(db).deleteFrom('passkeys').where('tenant_id', '=', tenantId).where('id', '=', id).execute())

/** All of a person who is deleted. */
export async function deletePasskeysOf(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db).deleteFrom('passkeys').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute()
}

/** False where somebody was faster: the other's transaction is waited for. */
export async function insertSpent(db: Database, challengeHash: string, expiresAt: Date): Promise<boolean> {
  const row = await tables(db)
    .insertInto('spent_challenges')
    .values({ challenge_hash: challengeHash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('challenge_hash')
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteSpent(db: Database, now: Date): Promise<void> {
  await tables(db)
    .deleteFrom('spent_challenges')
    .where('expires_at', '<', sql<Date>`${now}`)
    .execute()
}
