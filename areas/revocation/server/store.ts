import { sql, type JSONColumnType } from 'kysely'
import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import type { SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import type { DrillFigures, DrillView } from '../drills.ts'
import {
  actionOf,
  reasonsOf,
  usualStatusSettings,
  type Action,
  type FailureCode,
  type RevocationState,
  type StatusSettings,
} from '../rules.ts'
import type { SignerEnd } from '../signing.ts'

export type RevocationRecord = {
  tenant_id: string
  id: string
  certificate_id: string
  ca_id: string | null
  serial_hex: string
  subject: string
  reason: RevocationReason
  invalidity_date: Date | null
  note: string
  state: RevocationState
  failure_code: FailureCode | null
  requester_id: string
  requester: string
  requested_at: Date
  decided_by: string | null
  decided_at: Date | null
}

export type CrlRow = {
  tenant_id: string
  ca_id: string
  part: number
  number: number
  revision: number
  entry_count: number
  this_update: Date
  next_update: Date
  algorithm: SignatureAlgorithm
  to_be_signed_sha256: Buffer
  /** What the signature adds before and behind the signed part; null until it is signed. */
  head: Buffer | null
  tail: Buffer | null
  bytes: number
  etag: string | null
  base_number: number | null
  alarmed: boolean
}

/** `same_as`: the list whose piece of this position has the bytes. */
type CrlPieceRow = {
  tenant_id: string
  ca_id: string
  part: number
  number: number
  position: number
  bytes: Buffer
  entries: number
  same_as: number | null
  stands: number | null
  ends: Date | null
}
type StatusSettingsRow = {
  tenant_id: string
  ca_id: string
  delta: boolean
  delta_minutes: number
  list_hours: number
  answer_minutes: number
  responder_id: StatusSettings['responderId']
  delegated: boolean
  signer_on_token: boolean
}

export type OcspSignerRow = {
  tenant_id: string
  id: string
  ca_id: string
  key_id: string
  key_algorithm: KeyAlgorithm
  serial_hex: string
  /** DER; null until it is signed. */
  certificate: Buffer | null
  not_before: Date
  not_after: Date
  made_at: Date
  ended_at: Date | null
  ended_as: SignerEnd | null
  /** Its private key is gone. */
  key_destroyed: boolean
}

export type RevocationTables = {
  revocations: RevocationRecord
  crls: CrlRow
  crl_pieces: CrlPieceRow
  status_settings: StatusSettingsRow
  ocsp_signers: OcspSignerRow
  revocation_drills: DrillRow
}

type DrillRow = {
  tenant_id: string
  id: string
  at: Date
  by_id: string
  by_name: string
  name: string
  query: JSONColumnType<DrillRecord['query']>
  report: JSONColumnType<DrillReport>
}
/** Reports from before holds were counted apart are kept as they were. */
type DrillReport = Omit<DrillFigures, 'held'> & { held?: number }
export type DrillRecord = Omit<DrillRow, 'query' | 'report'> & { query: DrillView['query']; report: DrillReport }

export const tables = (db: Database) => db.withTables<RevocationTables>()

export const insertRevocation = (db: Database, row: RevocationRecord): Promise<void> => insertRevocations(db, [row])

export async function insertRevocations(db: Database, rows: readonly RevocationRecord[]): Promise<void> {
  if (rows.length > 0)
    await tables(db)
      .insertInto('revocations')
      .values([...rows])
      .execute()
}

export type PendingRevocation = Pick<RevocationRecord, 'tenant_id' | 'id' | 'certificate_id' | 'reason'>

/** By certificate, what somebody has asked for already and what waits for a decision: a revocation, or a release. */
export async function pendingOf(
  db: Database,
  tenantId: string,
  certificateIds: readonly string[],
): Promise<Map<string, PendingRevocation>> {
  if (certificateIds.length === 0) return new Map()
  const rows = await tables(db)
    .selectFrom('revocations')
    .select(['tenant_id', 'id', 'certificate_id', 'reason'])
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'pending')
    .where('certificate_id', 'in', [...certificateIds])
    .execute()
  return new Map(rows.map((row) => [row.certificate_id, row]))
}

type Change = Partial<Pick<RevocationRecord, 'state' | 'failure_code' | 'decided_by' | 'decided_at'>>

export const changeRevocation = async (db: Database, tenantId: string, id: string, change: Change): Promise<void> => {
  await tables(db).updateTable('revocations').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** Holds the row until the end of the transaction: a decision and a cancellation do not cross. */
export const lockRevocation = (db: Database, tenantId: string, id: string): Promise<RevocationRecord | undefined> =>
  tables(db).selectFrom('revocations').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

export const findRevocations = async (db: Database, tenantId: string, ids: readonly string[]): Promise<RevocationRecord[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('revocations')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

export const findRevocation = (db: Database, tenantId: string, id: string): Promise<RevocationRecord | undefined> =>
  tables(db).selectFrom('revocations').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

const newestOf = (db: Database, tenantId: string, certificateId: string) =>
  tables(db)
    .selectFrom('revocations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('certificate_id', '=', certificateId)
    .orderBy('requested_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)

export const latestRevocationOf = (db: Database, tenantId: string, certificateId: string): Promise<RevocationRecord | undefined> =>
  newestOf(db, tenantId, certificateId).executeTakeFirst()

/** The one by which the certificate is revoked now. */
export const latestDoneOf = (db: Database, tenantId: string, certificateId: string): Promise<RevocationRecord | undefined> =>
  newestOf(db, tenantId, certificateId).where('state', '=', 'revoked').executeTakeFirst()

const sortColumns = { requestedAt: 'requested_at', subject: 'subject', state: 'state' } as const

export type RevocationQuery = {
  states: readonly RevocationState[]
  actions: readonly Action[]
  text: string
  page: number
  size: number
  sort: keyof typeof sortColumns
  direction: 'asc' | 'desc'
}

export async function searchRevocations(
  db: Database,
  tenantId: string,
  query: RevocationQuery,
): Promise<{ rows: RevocationRecord[]; total: number; more: boolean }> {
  let found = tables(db).selectFrom('revocations').where('tenant_id', '=', tenantId)
  if (query.states.length > 0) found = found.where('state', 'in', query.states)
  if (query.actions.length > 0) found = found.where('reason', 'in', query.actions.flatMap(reasonsOf))
  if (query.text.trim() !== '') {
    const text = query.text.trim().toLowerCase()
    const serial = text.replaceAll(/[\s:]/g, '')
    found = found.where(({ or }) =>
      or([
        sql<boolean>`position(${text} in lower(subject)) > 0`,
        sql<boolean>`position(${text} in lower(requester)) > 0`,
        sql<boolean>`${serial} <> '' and position(${serial} in serial_hex) > 0`,
      ]),
    )
  }
  const { rows: counted } = await sql<{
    total: number
  }>`select count(*) as total from (${found.select('id').limit(countedUpTo + 1)}) as found`.execute(db)
  const total = counted[0]?.total ?? 0
  const offset = (query.page - 1) * query.size
  const rows =
    offset > countedUpTo
      ? []
      : await found
          .selectAll()
          .orderBy(sortColumns[query.sort], query.direction)
          .orderBy('id', query.direction)
          .limit(query.size)
          .offset(offset)
          .execute()
  return { rows, total: Math.min(total, countedUpTo), more: total > countedUpTo }
}

/** Of these, those that wait for a decision, by what was asked for. */
export async function countOpenRevocations(db: Database, tenantId: string, ids: readonly string[]): Promise<Record<Action, number>> {
  if (ids.length === 0) return { revocation: 0, hold: 0, release: 0 }
  const { rows } = await sql<{
    reason: RevocationReason
    total: number
  }>`select reason, count(*)::int as total from revocations where tenant_id = ${tenantId} and state = 'pending' and id = any (${[...ids]}::uuid[]) group by reason`.execute(
    db,
  )
  const counts = { revocation: 0, hold: 0, release: 0 }
  for (const { reason, total } of rows) counts[actionOf(reason)] += total
  return counts
}

export async function statusSettingsOf(db: Database, tenantId: string, caId: string): Promise<StatusSettings> {
  const row = await tables(db)
    .selectFrom('status_settings')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .executeTakeFirst()
  return row === undefined ? usualStatusSettings : settingsOf(row)
}

/** By authority; one that is not there has the usual. */
export const allStatusSettings = async (db: Database, tenantId: string): Promise<Map<string, StatusSettings>> =>
  new Map(
    (await tables(db).selectFrom('status_settings').selectAll().where('tenant_id', '=', tenantId).execute()).map((row) => [
      row.ca_id,
      settingsOf(row),
    ]),
  )

const settingsOf = (row: StatusSettingsRow): StatusSettings => ({
  delta: row.delta,
  deltaMinutes: row.delta_minutes,
  listHours: row.list_hours,
  answerMinutes: row.answer_minutes,
  responderId: row.responder_id,
  signedBy: !row.delegated ? 'authority' : row.signer_on_token ? 'signerOnToken' : 'signer',
})

export async function setStatusSettings(
  db: Database,
  tenantId: string,
  caId: string,
  { delta, deltaMinutes, listHours, answerMinutes, responderId, signedBy }: StatusSettings,
): Promise<void> {
  const row = {
    delta,
    delta_minutes: deltaMinutes,
    list_hours: listHours,
    answer_minutes: answerMinutes,
    responder_id: responderId,
    delegated: signedBy !== 'authority',
    signer_on_token: signedBy === 'signerOnToken',
  }
  await tables(db)
    .insertInto('status_settings')
    .values({ tenant_id: tenantId, ca_id: caId, ...row })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'ca_id']).doUpdateSet(row))
    .execute()
}
