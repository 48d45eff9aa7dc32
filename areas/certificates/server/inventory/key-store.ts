// Public keys: which certificates bear one, and which are never certified again.

import { sql, type RawBuilder } from 'kysely'
import { hash } from 'node:crypto'
import type { Statement } from '#core/server/batch.ts'
import type { Database } from '#core/server/database.ts'
import type { RequestStage } from '../../rules.ts'
import { tables, type CertificateTables } from '../store.ts'

const ofKey = (tenantId: string, key: Buffer): RawBuilder<unknown> => sql`
  select id from certificates where tenant_id = ${tenantId} and request_id in (select id from certificate_requests where tenant_id = ${tenantId} and public_key = ${key})
  union select certificate_id from foreign_keys where tenant_id = ${tenantId} and public_key = ${key}`

const othersOf = (db: Database, tenantId: string, key: Buffer, certificateId: string) =>
  tables(db)
    .selectFrom('certificates')
    .where('tenant_id', '=', tenantId)
    .where('id', '!=', certificateId)
    .where(sql<boolean>`id in (${ofKey(tenantId, key)})`)

/** The other certificates of a key, the newest first, at most so many, and how many there are. */
export async function othersOfKey(db: Database, tenantId: string, key: Buffer, certificateId: string, most: number) {
  const others = othersOf(db, tenantId, key, certificateId)
  const counted = await others.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirst()
  const rows = await others
    .select([
      'id',
      'name',
      'ca_id',
      'ca_name',
      'serial_hex',
      'not_before',
      'not_after',
      'revoked_at',
      'revocation_reason',
      'renewed_by',
      'replaced_at',
    ])
    .orderBy('issued_at', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()
  return { rows, total: Number(counted?.total ?? 0) }
}

export const isKeyOfAnother = async (db: Database, tenantId: string, key: Buffer, certificateId: string): Promise<boolean> =>
  (await othersOf(db, tenantId, key, certificateId).select('id').limit(1).executeTakeFirst()) !== undefined

/** A request in one of these stages, other than this one, brings the key. */
export async function isKeyOfRequest(
  db: Database,
  tenantId: string,
  key: Buffer,
  stages: readonly RequestStage[],
  but?: string,
): Promise<boolean> {
  const query = tables(db)
    .selectFrom('certificate_requests')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('public_key', '=', key)
    .where('stage', 'in', stages)
  return (await (but === undefined ? query : query.where('id', '!=', but)).limit(1).executeTakeFirst()) !== undefined
}

/** One at a time with this key in a tenancy, to the end of its transaction. */
export const holdKey = async (db: Database, tenantId: string, key: Buffer): Promise<void> =>
  void (await sql`select pg_advisory_xact_lock(hashtextextended(${`key:${tenantId}:${hash('sha256', key, 'base64')}`}, 0))`.execute(db))

export async function countValidOfKey(db: Database, tenantId: string, key: Buffer, now: Date): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from certificates where tenant_id = ${tenantId} and revoked_at is null and not_after >= ${now} and id in (${ofKey(tenantId, key)})`.execute(
    db,
  )
  return Number(rows[0]?.total ?? 0)
}

/**
 * While it is held together by those who store certificates, no key of these tenancies is found to be compromised, and the other way round: who takes a key out
 * of use sees each certificate of it, and who stores one sees what was taken out of use. To the end of the transaction, in one order, after all rows' locks.
 */
export async function holdCompromises(db: Database, tenantIds: readonly string[], how: 'together' | 'alone'): Promise<void> {
  const lock = how === 'alone' ? sql`pg_advisory_xact_lock` : sql`pg_advisory_xact_lock_shared`
  for (const tenantId of new Set(tenantIds.toSorted())) await sql`select ${lock}(${compromisesOf(tenantId)})`.execute(db)
}

const compromisesOf = (tenantId: string) => sql`hashtextextended(${`compromises:${tenantId}`}, 0)`

/** The same in one breath with others, held together. */
export const compromisesHeld = (tenantId: string): Statement => ({
  name: 'compromises-held',
  text: 'select pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
  values: [`compromises:${tenantId}`],
})

/** A row for each of these keys that was compromised, by the SHA-256 of their SubjectPublicKeyInfo in hex. */
export const compromisedAmong = (tenantId: string, fingerprints: readonly string[]): Statement => ({
  name: 'compromised-among',
  text: 'select key_sha256 from compromised_keys where tenant_id = $1 and key_sha256 = any($2::text[])',
  values: [tenantId, fingerprints],
})

/** One upload at a time in a tenancy, to the end of its transaction. */
export const lockExternal = async (db: Database, tenantId: string): Promise<void> =>
  void (await sql`select pg_advisory_xact_lock(hashtextextended(${`foreign:${tenantId}`}, 0))`.execute(db))

/** The keys of certificates that others issued: there is no request that has them. */
export async function insertExternalKeys(
  db: Database,
  tenantId: string,
  keys: readonly { certificateId: string; publicKey: Buffer }[],
): Promise<void> {
  if (keys.length === 0) return
  await tables(db)
    .insertInto('foreign_keys')
    .values(keys.map(({ certificateId, publicKey }) => ({ tenant_id: tenantId, certificate_id: certificateId, public_key: publicKey })))
    .execute()
}

/** Once for a key, with the certificate that told first. */
export async function insertCompromisedKey(db: Database, row: CertificateTables['compromised_keys']): Promise<void> {
  await tables(db)
    .insertInto('compromised_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'key_sha256']).doNothing())
    .execute()
}

const compromised = (db: Database, tenantId: string) =>
  tables(db).selectFrom('compromised_keys').select('since').where('tenant_id', '=', tenantId).limit(1)

/** By the SHA-256 of its SubjectPublicKeyInfo in hex. */
export const isCompromised = async (db: Database, tenantId: string, fingerprint: string): Promise<boolean> =>
  (await compromised(db, tenantId).where('key_sha256', '=', fingerprint).executeTakeFirst()) !== undefined

export const isAnyCompromised = async (db: Database, tenantId: string): Promise<boolean> =>
  (await compromised(db, tenantId).executeTakeFirst()) !== undefined
