import { sql, type Generated, type JSONColumnType } from 'kysely'
import { runStatement, type Statement } from '#core/server/batch.ts'
import type { Database } from '#core/server/database.ts'
import { insertRows } from '#core/server/insert-rows.ts'
import type { CertificateDraft } from '#areas/templates/plan.ts'
import type { Finding } from '#areas/templates/preview.ts'
import type { CertificateClassName, Entity, Extensions, KeyKindName } from '#areas/templates/rules.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import type { RequestStage } from '../rules.ts'
import { wordsOfCertificate } from './words.ts'

export type RequestPlan = { draft: CertificateDraft; extensions: Extensions }

export type RequestRecord = {
  tenant_id: string
  id: string
  stage: RequestStage
  entity: Entity
  class: CertificateClassName
  template_id: string
  template_name: string
  template_version: number
  ca_id: string
  ca_name: string
  requester_id: string
  requester: string
  holder_user_id: string | null
  csr: Buffer | null
  /** The certificate whose place this one's shall take. */
  renews: string | null
  /** Without a CSR: it brings the key of that certificate. */
  same_key: boolean
  key_kind: KeyKindName | null
  public_key: Buffer | null
  plan: RequestPlan
  findings: Finding[]
  subject: string
  typed: Record<string, string[]>
  friendly_name: string
  contact_email: string
  comment: string
  approvers_needed: number
  revocation_approvers: number
  serial_hex: string | null
  certificate_id: string | null
  error: string
  idempotency_key: string
  input_hash: string
  created_at: Date
  updated_at: Date
}

export type CertificateRecord = {
  tenant_id: string
  id: string
  ca_id: string | null
  ca_name: string
  serial_hex: string
  request_id: string | null
  template_id: string | null
  template_name: string
  class: CertificateClassName
  entity: Entity
  name: string
  subject: string
  sans: string[]
  email: string
  holder_user_id: string | null
  holder: string
  device_name: string
  device_serial: string
  requester_id: string | null
  requester: string
  friendly_name: string
  contact_email: string
  renewal_mode: string
  revocation_approvers: number
  not_before: Date
  not_after: Date
  issued_at: Date
  revoked_at: Date | null
  revocation_reason: RevocationReason | null
  fingerprint_sha256: string
  certificate: Buffer
  notices_sent: number[]
  renewed_by: string | null
}

/** `ends_on` as `2026-01-31`; ids are zeros where there is none. */
export type CountRow = { tenant_id: string; ends_on: string; revoked: boolean; template_id: string; ca_id: string; count: number }

type Json<R, K extends keyof R> = Omit<R, K> & { [F in K]: R[F] extends object ? JSONColumnType<R[F]> : never }

export type CertificateTables = {
  certificate_requests: Json<RequestRecord, 'plan' | 'findings' | 'typed'>
  certificates: CertificateRecord
  certificate_words: { tenant_id: string; word: string; certificate_id: string }
  certificate_counts: CountRow
  certificate_count_changes: CountRow & { id: Generated<string> }
  certificate_count_versions: { tenant_id: string; version: string }
  foreign_keys: { tenant_id: string; certificate_id: string; public_key: Buffer }
  compromised_keys: { tenant_id: string; key_sha256: string; since: Date; certificate_id: string }
}

export const tables = (db: Database) => db.withTables<CertificateTables>()

type JsonParts = Pick<RequestRecord, 'plan' | 'findings' | 'typed'>
const written = ({ plan, findings, typed }: JsonParts) => ({ plan: JSON.stringify(plan), findings: JSON.stringify(findings), typed: JSON.stringify(typed) })

const requestColumns = {
  tenant_id: 'uuid', id: 'uuid', stage: 'text', entity: 'text', class: 'text', template_id: 'uuid', template_name: 'text', template_version: 'integer', ca_id: 'uuid', ca_name: 'text', requester_id: 'uuid',
  requester: 'text', holder_user_id: 'uuid', csr: 'bytea', renews: 'uuid', same_key: 'boolean', key_kind: 'text', public_key: 'bytea', plan: 'jsonb', findings: 'jsonb', subject: 'text', typed: 'jsonb',
  friendly_name: 'text', contact_email: 'text', comment: 'text', approvers_needed: 'integer', revocation_approvers: 'integer', serial_hex: 'text', certificate_id: 'uuid', error: 'text', idempotency_key: 'text',
  input_hash: 'text', created_at: 'timestamptz', updated_at: 'timestamptz',
} as const satisfies { [column in keyof RequestRecord]: string }

/** Whether it comes with a key, and so is issued at once where nobody must agree; else the key is made when it is collected. */
export const bringsKey = (request: Pick<RequestRecord, 'csr' | 'same_key'>): boolean => request.csr !== null || request.same_key

/** Returns the ids of those that are new; of a key that the requester has used before, and of a second renewal of a certificate, nothing is written. */
export const requestsInserted = (records: readonly RequestRecord[]): Statement =>
  insertRows('certificate_requests', requestColumns, records.map((record) => ({ ...record, ...written(record) })), 'on conflict do nothing returning id')

/** False where this requester used this key before, or somebody renews the certificate already. */
export const insertRequest = async (db: Database, record: RequestRecord): Promise<boolean> => (await runStatement(db, requestsInserted([record]))).length > 0

/** Many at once, none of which anybody has sent before. */
export async function insertRequests(db: Database, records: readonly RequestRecord[]): Promise<void> {
  if (records.length > 0) await runStatement(db, requestsInserted(records))
}

export const requestOfKey = (db: Database, tenantId: string, requesterId: string, key: string): Promise<RequestRecord | undefined> =>
  tables(db).selectFrom('certificate_requests').selectAll().where('tenant_id', '=', tenantId).where('requester_id', '=', requesterId).where('idempotency_key', '=', key).executeTakeFirst()

/** The request that renews a certificate, or has renewed it; none where those that were made came to nothing. */
export const renewalOf = (db: Database, tenantId: string, certificateId: string): Promise<RequestRecord | undefined> =>
  tables(db).selectFrom('certificate_requests').selectAll().where('tenant_id', '=', tenantId).where('renews', '=', certificateId).where('stage', 'not in', ['denied', 'withdrawn', 'failed']).executeTakeFirst()

export const newestRenewalOf = (db: Database, tenantId: string, certificateId: string): Promise<RequestRecord | undefined> =>
  tables(db).selectFrom('certificate_requests').selectAll().where('tenant_id', '=', tenantId).where('renews', '=', certificateId).orderBy('created_at', 'desc').limit(1).executeTakeFirst()

export const findRequest = (db: Database, tenantId: string, id: string): Promise<RequestRecord | undefined> =>
  tables(db).selectFrom('certificate_requests').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** The same with its row locked: whoever moves a request on holds it until the commit. */
export const lockRequest = (db: Database, tenantId: string, id: string): Promise<RequestRecord | undefined> =>
  tables(db).selectFrom('certificate_requests').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

export async function changeRequest(db: Database, tenantId: string, id: string, change: Partial<Omit<RequestRecord, 'tenant_id' | 'id' | keyof JsonParts>>, parts?: JsonParts): Promise<void> {
  await tables(db)
    .updateTable('certificate_requests')
    .set({ ...change, ...(parts === undefined ? {} : written(parts)) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** What this person asked for, or is to be the holder of, and what nobody has begun to issue. */
export const openRequestsOf = async (db: Database, tenantId: string, userId: string): Promise<string[]> =>
  (
    await tables(db)
      .selectFrom('certificate_requests')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('stage', 'in', ['waiting', 'awaitingKey'])
      .where((all) => all.or([all.eb('requester_id', '=', userId), all.eb('holder_user_id', '=', userId)]))
      .orderBy('id')
      .execute()
  ).map(({ id }) => id)

/** Those of these requests whose signature is due, locked in one order. */
export const lockReserved = async (db: Database, tenantId: string, ids: readonly string[]): Promise<Set<string>> =>
  new Set(
    ids.length === 0
      ? []
      : (
          await tables(db)
            .selectFrom('certificate_requests')
            .select('id')
            .where('tenant_id', '=', tenantId)
            .where('id', 'in', [...ids])
            .where('stage', '=', 'reserved')
            .orderBy('id')
            .forUpdate()
            .execute()
        ).map(({ id }) => id),
  )

/** Each has its certificate now. */
export async function setIssued(db: Database, tenantId: string, issued: readonly Pick<CertificateRecord, 'id' | 'request_id' | 'issued_at'>[]): Promise<void> {
  await sql`
    update certificate_requests set stage = 'issued', certificate_id = made.certificate_id, updated_at = made.issued_at
    from unnest(${issued.map((one) => one.request_id)}::uuid[], ${issued.map(({ id }) => id)}::uuid[], ${issued.map((one) => one.issued_at)}::timestamptz[]) as made (request_id, certificate_id, issued_at)
    where certificate_requests.tenant_id = ${tenantId} and certificate_requests.id = made.request_id`.execute(db)
}

/**
 * Agreed to but not issued, untouched since `before`: what a crash left, or what is being done this moment. With the requester's key, or with
 * one that was made here.
 */
export const unfinishedRequests = async (db: Database, tenantId: string, key: 'theirs' | 'madeHere', before: Date, soon: Date): Promise<string[]> =>
  (
    await tables(db)
      .selectFrom('certificate_requests')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('stage', 'in', ['approved', 'reserved'])
      .where((all) => (key === 'theirs' ? all.or([all('csr', 'is not', null), all('same_key', '=', true)]) : all.and([all('csr', 'is', null), all('same_key', '=', false)])))
      // What bears a time yet to come was written before the clock was set back, and is as old as any.
      .where((all) => all.or([all.eb('updated_at', '<=', before), all.eb('updated_at', '>', soon)]))
      .orderBy('updated_at')
      .limit(500)
      .execute()
  ).map(({ id }) => id)

/** Writes the certificate with the words that it is found by. */
export const insertCertificate = (db: Database, record: CertificateRecord): Promise<void> => insertCertificates(db, [record])

export async function insertCertificates(db: Database, records: readonly CertificateRecord[]): Promise<void> {
  if (records.length === 0) return
  for (const statement of certificatesInserted(records)) await runStatement(db, statement)
}

const certificateColumns = {
  tenant_id: 'uuid', id: 'uuid', ca_id: 'uuid', ca_name: 'text', serial_hex: 'text', request_id: 'uuid', template_id: 'uuid', template_name: 'text', class: 'text', entity: 'text', name: 'text', subject: 'text', sans: 'text[]',
  email: 'text', holder_user_id: 'uuid', holder: 'text', device_name: 'text', device_serial: 'text', requester_id: 'uuid', requester: 'text', friendly_name: 'text', contact_email: 'text', renewal_mode: 'text',
  revocation_approvers: 'integer', not_before: 'timestamptz', not_after: 'timestamptz', issued_at: 'timestamptz', revoked_at: 'timestamptz', revocation_reason: 'text', fingerprint_sha256: 'text', certificate: 'bytea',
  notices_sent: 'integer[]',
} as const satisfies { [column in Exclude<keyof CertificateRecord, 'renewed_by'>]: string }

const wordColumns = { tenant_id: 'uuid', word: 'text', certificate_id: 'uuid' }

/** The certificates with the words that they are found by. */
export function certificatesInserted(records: readonly CertificateRecord[]): Statement[] {
  const words = records.flatMap(wordRows)
  return [insertRows('certificates', certificateColumns, records), ...(words.length === 0 ? [] : [insertRows('certificate_words', wordColumns, words)])]
}

const wordRows = (record: CertificateRecord): CertificateTables['certificate_words'][] => wordsOfCertificate(record).map((word) => ({ tenant_id: record.tenant_id, word, certificate_id: record.id }))

export const certificateById = (db: Database, tenantId: string, id: string): Promise<CertificateRecord | undefined> =>
  tables(db).selectFrom('certificates').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const certificatesById = (db: Database, tenantId: string, ids: readonly string[]): Promise<CertificateRecord[]> =>
  ids.length === 0 ? Promise.resolve([]) : tables(db).selectFrom('certificates').selectAll().where('tenant_id', '=', tenantId).where('id', 'in', [...ids]).execute()

/** Answers how many there were. */
export async function changeCertificates(db: Database, tenantId: string, ids: readonly string[], change: Partial<Omit<CertificateRecord, 'tenant_id' | 'id'>>): Promise<number> {
  if (ids.length === 0) return 0
  const { numUpdatedRows } = await tables(db).updateTable('certificates').set(change).where('tenant_id', '=', tenantId).where('id', 'in', [...ids]).executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Of one authority, or of any where the serial stands once. */
export async function certificateBySerial(db: Database, tenantId: string, caId: string | undefined, serialHex: string): Promise<CertificateRecord | undefined> {
  let query = tables(db).selectFrom('certificates').selectAll().where('tenant_id', '=', tenantId).where('serial_hex', '=', serialHex)
  if (caId !== undefined) query = query.where('ca_id', '=', caId)
  const found = await query.limit(2).execute()
  return found.length === 1 ? found[0] : undefined
}

export async function changeCertificate(db: Database, tenantId: string, id: string, change: Partial<Omit<CertificateRecord, 'tenant_id' | 'id'>>): Promise<boolean> {
  const changed = await tables(db).updateTable('certificates').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).returning('id').executeTakeFirst()
  return changed !== undefined
}
