import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import type { SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { crlsKept, type FailureCode, type RevocationState } from '../rules.ts'

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
  number: number
  revision: number
  entry_count: number
  this_update: Date
  next_update: Date
  algorithm: SignatureAlgorithm
  to_be_signed: Buffer | null
  to_be_signed_sha256: Buffer
  der: Buffer | null
  etag: string | null
}

export type RevocationTables = { revocations: RevocationRecord; crls: CrlRow }

const tables = (db: Database) => db.withTables<RevocationTables>()

const countedAtMost = 10_000

export const insertRevocation = async (db: Database, row: RevocationRecord): Promise<void> => {
  await tables(db).insertInto('revocations').values(row).execute()
}

type Change = Partial<Pick<RevocationRecord, 'state' | 'failure_code' | 'decided_by' | 'decided_at'>>

export const changeRevocation = async (db: Database, tenantId: string, id: string, change: Change): Promise<void> => {
  await tables(db).updateTable('revocations').set(change).where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

/** Holds the row until the end of the transaction: a decision and a cancellation do not cross. */
export const lockRevocation = (db: Database, tenantId: string, id: string): Promise<RevocationRecord | undefined> =>
  tables(db).selectFrom('revocations').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

export const findRevocation = (db: Database, tenantId: string, id: string): Promise<RevocationRecord | undefined> =>
  tables(db).selectFrom('revocations').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const latestRevocationOf = (db: Database, tenantId: string, certificateId: string): Promise<RevocationRecord | undefined> =>
  tables(db)
    .selectFrom('revocations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('certificate_id', '=', certificateId)
    .orderBy('requested_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

const sortColumns = { requestedAt: 'requested_at', subject: 'subject', state: 'state' } as const

export type RevocationQuery = { states: readonly RevocationState[]; text: string; page: number; size: number; sort: keyof typeof sortColumns; direction: 'asc' | 'desc' }

export async function searchRevocations(db: Database, tenantId: string, query: RevocationQuery): Promise<{ rows: RevocationRecord[]; total: number; more: boolean }> {
  let found = tables(db).selectFrom('revocations').where('tenant_id', '=', tenantId)
  if (query.states.length > 0) found = found.where('state', 'in', query.states)
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
  const { rows: counted } = await sql<{ total: number }>`select count(*) as total from (${found.select('id').limit(countedAtMost + 1)}) as found`.execute(db)
  const total = counted[0]?.total ?? 0
  const offset = (query.page - 1) * query.size
  const rows =
    offset > countedAtMost ? [] : await found.selectAll().orderBy(sortColumns[query.sort], query.direction).orderBy('id', query.direction).limit(query.size).offset(offset).execute()
  return { rows, total: Math.min(total, countedAtMost), more: total > countedAtMost }
}

export async function countOpenRevocations(db: Database, tenantId: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from (select 1 from revocations where tenant_id = ${tenantId} and state = 'pending' limit ${countedAtMost}) as open`.execute(db)
  return rows[0]?.total ?? 0
}

/** One server at a time gives an authority's lists their numbers; held to the end of the transaction. */
export async function lockNumbers(db: Database, caId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`crl:${caId}`}, 0))`.execute(db)
}

export const latestCrl = (db: Database, tenantId: string, caId: string): Promise<CrlRow | undefined> =>
  tables(db).selectFrom('crls').selectAll().where('tenant_id', '=', tenantId).where('ca_id', '=', caId).orderBy('number', 'desc').limit(1).executeTakeFirst()

export const latestSignedCrl = (db: Database, tenantId: string, caId: string): Promise<CrlRow | undefined> =>
  tables(db)
    .selectFrom('crls')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .where('der', 'is not', null)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()

export type CrlSummary = Pick<CrlRow, 'ca_id' | 'number' | 'revision' | 'entry_count' | 'this_update' | 'next_update'>

/** The newest signed list of each authority, without its bytes. */
export async function crlSummaries(db: Database, tenantId: string): Promise<CrlSummary[]> {
  const { rows } = await sql<CrlSummary>`
    select distinct on (ca_id) ca_id, number, revision, entry_count, this_update, next_update
    from crls where tenant_id = ${tenantId} and etag is not null order by ca_id, number desc`.execute(db)
  return rows
}

export const insertCrl = async (db: Database, row: CrlRow): Promise<void> => {
  await tables(db).insertInto('crls').values(row).execute()
}

/** Of two servers that signed the same bytes after a crash, the first is kept. */
export async function storeSignedCrl(db: Database, { tenant_id, ca_id, number }: Pick<CrlRow, 'tenant_id' | 'ca_id' | 'number'>, der: Uint8Array, etag: string): Promise<void> {
  const crls = tables(db)
  await crls.updateTable('crls').set({ der: Buffer.from(der), etag, to_be_signed: null }).where('tenant_id', '=', tenant_id).where('ca_id', '=', ca_id).where('number', '=', number).where('der', 'is', null).execute()
  await crls.updateTable('crls').set({ der: null }).where('tenant_id', '=', tenant_id).where('ca_id', '=', ca_id).where('number', '<=', number - crlsKept).where('der', 'is not', null).execute()
}
