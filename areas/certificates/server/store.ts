// Requests and certificates as the database keeps them; what is asked of them stands in the store of each.

import { sql, type Generated, type JSONColumnType, type RawBuilder } from 'kysely'
import type { CertificateDraft } from '#areas/templates/plan.ts'
import type { Finding } from '#areas/templates/preview.ts'
import type { CertificateClassName, Entity, Extensions, KeyKindName } from '#areas/templates/rules.ts'
import type { Database } from '#core/server/database.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import type { RequestStage } from '../rules.ts'

/** `byRule`: a rule or protocol enrolled for somebody, who need have no right to ask. `byCard`: the card desk did, with a key that was made on the card. */
export type RequestPlan = { draft: CertificateDraft; extensions: Extensions; byRule?: true; byCard?: true }

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
  /** Somebody said that a certificate that is not here is used in its place. */
  replaced_at: Date | null
  owner_user_id: string | null
  owner: string
  tags: string[]
  /** As `traits.ts` reads it. */
  traits: number
}

/** `ends_on` as `2026-01-31`; ids are zeros where there is none. */
export type CountRow = {
  tenant_id: string
  ends_on: string
  revoked: boolean
  replaced: boolean
  template_id: string
  ca_id: string
  traits: number
  count: number
}

type Json<R, K extends keyof R> = Omit<R, K> & { [F in K]: R[F] extends object ? JSONColumnType<R[F]> : never }

export type CertificateTables = {
  certificate_requests: Json<RequestRecord, 'plan' | 'findings' | 'typed'>
  certificates: CertificateRecord
  certificate_words: { tenant_id: string; word: string; certificate_id: string }
  certificate_words_due: { tenant_id: string; after: string }
  certificate_counts: CountRow
  certificate_count_changes: CountRow & { id: Generated<string> }
  certificate_count_versions: { tenant_id: string; version: string }
  foreign_keys: { tenant_id: string; certificate_id: string; public_key: Buffer }
  compromised_keys: { tenant_id: string; key_sha256: string; since: Date; certificate_id: string }
}

/** Whether a protocol asked: of rules, only those of protocols bring a CSR. Its client proved the names, so nobody else changes or renews them. */
export const madeByProtocol = ({ plan, csr }: Pick<RequestRecord, 'plan' | 'csr'>): boolean => plan.byRule === true && csr !== null

/** The same of a row of certificate_requests, in a statement. */
export const rowMadeByProtocol = (row: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${row}.csr`)} is not null and ${sql.ref(`${row}.plan`)} ->> 'byRule' = 'true')`

export const tables = (db: Database) => db.withTables<CertificateTables>()

export const requestColumns = {
  tenant_id: 'uuid',
  id: 'uuid',
  stage: 'text',
  entity: 'text',
  class: 'text',
  template_id: 'uuid',
  template_name: 'text',
  template_version: 'integer',
  ca_id: 'uuid',
  ca_name: 'text',
  requester_id: 'uuid',
  requester: 'text',
  holder_user_id: 'uuid',
  csr: 'bytea',
  renews: 'uuid',
  same_key: 'boolean',
  key_kind: 'text',
  public_key: 'bytea',
  plan: 'jsonb',
  findings: 'jsonb',
  subject: 'text',
  typed: 'jsonb',
  friendly_name: 'text',
  contact_email: 'text',
  comment: 'text',
  approvers_needed: 'integer',
  revocation_approvers: 'integer',
  serial_hex: 'text',
  certificate_id: 'uuid',
  error: 'text',
  idempotency_key: 'text',
  input_hash: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const satisfies { [column in keyof RequestRecord]: string }

/** Whether it comes with a key, and so is issued at once where nobody must agree; else the key is made when it is collected. */
export const bringsKey = (request: Pick<RequestRecord, 'csr' | 'same_key'>): boolean => request.csr !== null || request.same_key

/** Nothing of it is said when a certificate is written. */
type LaterColumn = 'renewed_by' | 'replaced_at' | 'owner_user_id' | 'owner' | 'tags'
/** What they are then. */
export const unchanged = { renewed_by: null, replaced_at: null, owner_user_id: null, owner: '', tags: [] } satisfies Pick<
  CertificateRecord,
  LaterColumn
>

export const certificateColumns = {
  tenant_id: 'uuid',
  id: 'uuid',
  ca_id: 'uuid',
  ca_name: 'text',
  serial_hex: 'text',
  request_id: 'uuid',
  template_id: 'uuid',
  template_name: 'text',
  class: 'text',
  entity: 'text',
  name: 'text',
  subject: 'text',
  sans: 'text[]',
  email: 'text',
  holder_user_id: 'uuid',
  holder: 'text',
  device_name: 'text',
  device_serial: 'text',
  requester_id: 'uuid',
  requester: 'text',
  friendly_name: 'text',
  contact_email: 'text',
  renewal_mode: 'text',
  revocation_approvers: 'integer',
  not_before: 'timestamptz',
  not_after: 'timestamptz',
  issued_at: 'timestamptz',
  revoked_at: 'timestamptz',
  revocation_reason: 'text',
  fingerprint_sha256: 'text',
  certificate: 'bytea',
  notices_sent: 'integer[]',
  traits: 'bigint',
} as const satisfies { [column in Exclude<keyof CertificateRecord, LaterColumn>]: string }

export const wordColumns = { tenant_id: 'uuid', word: 'text', certificate_id: 'uuid' }
