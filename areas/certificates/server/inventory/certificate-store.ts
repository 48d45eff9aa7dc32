// What is asked of certificates beside the inventory's lists: one by one, and many for those who watch over them.

import { sql } from 'kysely'
import { runStatement, type Statement } from '#core/server/batch.ts'
import type { Database } from '#core/server/database.ts'
import { insertRows } from '#core/server/insert-rows.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { certificateColumns, tables, wordColumns, type CertificateRecord, type CertificateTables } from '../store.ts'
import { termsOfCertificate } from './search-terms.ts'

/** Writes the certificate with the words that it is found by. */
export const insertCertificate = (db: Database, record: CertificateRecord): Promise<void> => insertCertificates(db, [record])

export async function insertCertificates(db: Database, records: readonly CertificateRecord[]): Promise<void> {
  if (records.length === 0) return
  for (const statement of certificatesInserted(records)) await runStatement(db, statement)
}

/** The certificates with the words that they are found by. */
export function certificatesInserted(records: readonly CertificateRecord[]): Statement[] {
  const words = records.flatMap(wordRows)
  return [
    insertRows('certificates', certificateColumns, records),
    ...(words.length === 0 ? [] : [insertRows('certificate_words', wordColumns, words)]),
  ]
}

const wordRows = (record: CertificateRecord): CertificateTables['certificate_words'][] =>
  termsOfCertificate(record).map((word) => ({ tenant_id: record.tenant_id, word, certificate_id: record.id }))

export const certificateById = (db: Database, tenantId: string, id: string): Promise<CertificateRecord | undefined> =>
  tables(db).selectFrom('certificates').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** The same with its row locked, so that nobody revokes it before the commit. */
export const lockCertificate = (db: Database, tenantId: string, id: string): Promise<CertificateRecord | undefined> =>
  tables(db).selectFrom('certificates').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

/** What each goes by. */
export const certificateNames = (
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<Pick<CertificateRecord, 'id' | 'ca_id' | 'serial_hex' | 'name'>[]> =>
  tables(db)
    .selectFrom('certificates')
    .select(['id', 'ca_id', 'serial_hex', 'name'])
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()

/** The requests that led to these certificates, where they have ids of their own. */
export const requestsBehind = async (db: Database, tenantId: string, ids: readonly string[]): Promise<string[]> =>
  ids.length === 0
    ? []
    : (
        await tables(db)
          .selectFrom('certificates')
          .select('request_id')
          .where('tenant_id', '=', tenantId)
          .where('id', 'in', [...ids])
          .whereRef('request_id', '!=', 'id')
          .execute()
      ).flatMap(({ request_id: id }) => id ?? [])

export const certificatesById = (db: Database, tenantId: string, ids: readonly string[]): Promise<CertificateRecord[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : tables(db)
        .selectFrom('certificates')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

/** Answers how many there were. */
export async function changeCertificates(
  db: Database,
  tenantId: string,
  ids: readonly string[],
  change: Partial<Omit<CertificateRecord, 'tenant_id' | 'id'>>,
): Promise<number> {
  if (ids.length === 0) return 0
  const { numUpdatedRows } = await tables(db)
    .updateTable('certificates')
    .set(change)
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Of one authority, or of any where the serial stands once. One of ours comes before what others issued: an upload hides none. */
export async function certificateBySerial(
  db: Database,
  tenantId: string,
  caId: string | undefined,
  serialHex: string,
): Promise<CertificateRecord | undefined> {
  let query = tables(db).selectFrom('certificates').selectAll().where('tenant_id', '=', tenantId).where('serial_hex', '=', serialHex)
  if (caId !== undefined) query = query.where('ca_id', '=', caId)
  const [first, second] = await query
    .orderBy((all) => all('ca_id', 'is', null))
    .limit(2)
    .execute()
  return second === undefined || (first?.ca_id !== null && second.ca_id === null) ? first : undefined
}

export async function changeCertificate(
  db: Database,
  tenantId: string,
  id: string,
  change: Partial<Omit<CertificateRecord, 'tenant_id' | 'id'>>,
): Promise<boolean> {
  const changed = await tables(db)
    .updateTable('certificates')
    .set(change)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** By fingerprint, the ids of those that stand in the inventory already: ours and external ones alike. */
export async function knownByFingerprint(
  db: Database,
  tenantId: string,
  fingerprints: readonly string[],
): Promise<Map<string, { id: string; caId: string | undefined }>> {
  if (fingerprints.length === 0) return new Map()
  const rows = await tables(db)
    .selectFrom('certificates')
    .select(['id', 'ca_id', 'fingerprint_sha256'])
    .where('tenant_id', '=', tenantId)
    .where('fingerprint_sha256', 'in', [...fingerprints])
    .execute()
  return new Map(rows.map(({ id, ca_id, fingerprint_sha256 }) => [fingerprint_sha256, { id, caId: ca_id ?? undefined }]))
}

/** Those of them that were taken back, each with why, and those whose place another has taken. */
export async function endedAmong(
  db: Database,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, { revoked: RevocationReason | undefined; renewed: boolean }>> {
  if (ids.length === 0) return new Map()
  const rows = await tables(db)
    .selectFrom('certificates')
    .select(['id', 'revocation_reason', 'renewed_by'])
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .where((all) => all.or([all('revoked_at', 'is not', null), all('renewed_by', 'is not', null)]))
    .execute()
  return new Map(
    rows.map(({ id, revocation_reason: reason, renewed_by: renewedBy }) => [
      id,
      { revoked: reason ?? undefined, renewed: renewedBy !== null },
    ]),
  )
}

/** Answers how many there were. */
export async function revokeCertificates(
  db: Database,
  tenantId: string,
  ids: readonly string[],
  { reason, at }: { reason: RevocationReason; at: Date },
): Promise<number> {
  if (ids.length === 0) return 0
  const { numUpdatedRows } = await tables(db)
    .updateTable('certificates')
    .set((all) => ({ revoked_at: all.fn.coalesce('revoked_at', all.val(at)), revocation_reason: reason }))
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** The latest from this id on but those already read, the latest first. By id, and so by our own time of making them: when one was issued others may say. */
export const latestFrom = (
  db: Database,
  tenantId: string,
  firstId: string,
  alreadyRead: readonly string[],
  most: number,
): Promise<Pick<CertificateRecord, 'id' | 'certificate'>[]> =>
  tables(db)
    .selectFrom('certificates')
    .select(['id', 'certificate'])
    .where('tenant_id', '=', tenantId)
    .where('id', '>=', firstId)
    .where(sql<boolean>`id <> all(${[...alreadyRead]}::uuid[])`)
    .orderBy('id', 'desc')
    .limit(most)
    .execute()

export type Holding = { certificateId: string; subject: string; notAfter: Date }

/** The newest certificate of the template for each holder, or for each device by its name, that is neither revoked nor expired. */
export async function holdingsOf(
  db: Database,
  tenantId: string,
  templateId: string,
  entity: 'user' | 'device',
  now: Date,
): Promise<Map<string, Holding>> {
  const rows = await tables(db)
    .selectFrom('certificates')
    .select(['id', 'holder_user_id', 'device_name', 'not_after'])
    .where('tenant_id', '=', tenantId)
    .where('template_id', '=', templateId)
    .where('revoked_at', 'is', null)
    .where('not_after', '>', now)
    .orderBy('not_after')
    .execute()
  return new Map(
    rows.flatMap((row) => {
      const subject = entity === 'user' ? row.holder_user_id : row.device_name.toLowerCase()
      return subject === null || subject === '' ? [] : [[subject, { certificateId: row.id, subject, notAfter: row.not_after }] as const]
    }),
  )
}
