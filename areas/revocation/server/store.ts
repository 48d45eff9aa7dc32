import { sql, type JSONColumnType, type RawBuilder } from 'kysely'
import { copyOut, literal, type CopiedBlock } from '#core/server/copy-out.ts'
import type { Database } from '#core/server/database.ts'
import type { KeyAlgorithm } from '#areas/keys/rules.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import type { SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import type { DrillFigures, DrillShown } from '../drills.ts'
import { crlsKept, usualStatusSettings, type FailureCode, type RevocationState, type StatusSettings } from '../rules.ts'
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
type CrlPieceRow = { tenant_id: string; ca_id: string; part: number; number: number; position: number; bytes: Buffer; entries: number; same_as: number | null; stands: number | null; ends: Date | null }
type StatusSettingsRow = { tenant_id: string; ca_id: string; delta: boolean; delta_minutes: number; responder_id: StatusSettings['responderId']; delegated: boolean; signer_on_token: boolean }

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

export type RevocationTables = { revocations: RevocationRecord; crls: CrlRow; crl_pieces: CrlPieceRow; status_settings: StatusSettingsRow; ocsp_signers: OcspSignerRow; revocation_drills: DrillRow }

type DrillRow = { tenant_id: string; id: string; at: Date; by_id: string; by_name: string; name: string; query: JSONColumnType<DrillRecord['query']>; report: JSONColumnType<DrillFigures> }
export type DrillRecord = Omit<DrillRow, 'query' | 'report'> & { query: DrillShown['query']; report: DrillFigures }

export const tables = (db: Database) => db.withTables<RevocationTables>()

const countedAtMost = 10_000

export const insertRevocation = (db: Database, row: RevocationRecord): Promise<void> => insertRevocations(db, [row])

export async function insertRevocations(db: Database, rows: readonly RevocationRecord[]): Promise<void> {
  if (rows.length > 0) await tables(db).insertInto('revocations').values([...rows]).execute()
}

/** Those of these certificates that somebody has asked to revoke already, and that wait for a decision. */
export const certificatesPending = async (db: Database, tenantId: string, certificateIds: readonly string[]): Promise<Set<string>> =>
  new Set(
    certificateIds.length === 0
      ? []
      : (await tables(db).selectFrom('revocations').select('certificate_id').where('tenant_id', '=', tenantId).where('state', '=', 'pending').where('certificate_id', 'in', [...certificateIds]).execute()).map((row) => row.certificate_id),
  )

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

export type ListId = { tenantId: string; caId: string; part: number }

const crlsOf = (db: Database, { tenantId, caId, part }: ListId) => tables(db).selectFrom('crls').selectAll().where('tenant_id', '=', tenantId).where('ca_id', '=', caId).where('part', '=', part)

export const latestCrl = (db: Database, list: ListId): Promise<CrlRow | undefined> => crlsOf(db, list).orderBy('number', 'desc').limit(1).executeTakeFirst()

export const latestSignedCrl = (db: Database, list: ListId): Promise<CrlRow | undefined> => crlsOf(db, list).where('etag', 'is not', null).orderBy('number', 'desc').limit(1).executeTakeFirst()

/** The oldest signed list that has not ended: everyone who holds a list that counts holds this one or a newer. */
export const oldestLastingCrl = (db: Database, list: ListId, now: Date): Promise<CrlRow | undefined> =>
  crlsOf(db, list).where('etag', 'is not', null).where('next_update', '>', now).orderBy('number').limit(1).executeTakeFirst()

/** The last number given to any list of the authority. */
export async function lastCrlNumber(db: Database, tenantId: string, caId: string): Promise<number | undefined> {
  const row = await tables(db).selectFrom('crls').select('number').where('tenant_id', '=', tenantId).where('ca_id', '=', caId).orderBy('number', 'desc').limit(1).executeTakeFirst()
  return row?.number
}

export type CrlSummary = Pick<CrlRow, 'ca_id' | 'part' | 'number' | 'revision' | 'entry_count' | 'this_update' | 'next_update' | 'bytes' | 'alarmed'>

/** The newest signed list of each kind, of one authority or all. */
export async function crlSummaries(db: Database, tenantId: string, caId?: string): Promise<CrlSummary[]> {
  const { rows } = await sql<CrlSummary>`
    select distinct on (ca_id, part) ca_id, part, number, revision, entry_count, this_update, next_update, bytes, alarmed
    from crls where tenant_id = ${tenantId} and etag is not null ${caId === undefined ? sql`` : sql`and ca_id = ${caId}`} order by ca_id, part, number desc`.execute(db)
  return rows
}

type CrlKey = Pick<CrlRow, 'tenant_id' | 'ca_id' | 'part' | 'number'>

/** Puts the entries that `runs` selects under the number, each run a piece. What stands before and behind them is put in by insertFrame. */
export async function insertEntries(db: Database, key: CrlKey, runs: RawBuilder<unknown>): Promise<{ count: number; bytes: number }> {
  const { tenant_id, ca_id, part, number } = key
  await sql`
    insert into crl_pieces (tenant_id, ca_id, part, number, position, bytes, entries, same_as, stands, ends)
    select ${tenant_id}, ${ca_id}, ${part}, ${number}, run.position, run.bytes, run.entries, run.source, run.stands, run.ends from (${runs}) as run`.execute(db)
  const { rows } = await sql<{ count: number | null }>`select sum(entries) as count from crl_pieces where ${ofKey(key)}`.execute(db)
  return { count: rows[0]?.count ?? 0, bytes: await lengthOfPieces(db, key) }
}

const ofKey = ({ tenant_id, ca_id, part, number }: CrlKey) => sql`tenant_id = ${tenant_id} and ca_id = ${ca_id} and part = ${part} and number = ${number}`

/** The runs of a list, for the next one of its kind: where each lies and what tells that it is the same. */
export const runsOfCrl = (key: CrlKey): RawBuilder<unknown> =>
  sql`select position, coalesce(same_as, number) as source, entries, stands, ends from crl_pieces where ${ofKey(key)} and position between 1 and ${behindAll - 1}`

/** The pieces of a list from beyond a position to another, with the bytes wherever they lie, as a query: COPY takes no parameters. */
const piecesFrom = ({ tenant_id, ca_id, part, number }: CrlKey, after: number, last: number): string => `
  select source.bytes from crl_pieces as piece
  join crl_pieces as source on source.tenant_id = piece.tenant_id and source.ca_id = piece.ca_id and source.part = piece.part
    and source.number = coalesce(piece.same_as, piece.number) and source.position = piece.position
  where piece.tenant_id = ${literal(tenant_id)} and piece.ca_id = ${literal(ca_id)} and piece.part = ${literal(part)} and piece.number = ${literal(number)}
    and piece.position > ${literal(after)} and piece.position <= ${literal(last)} order by piece.position`

const behindAll = 2_147_483_647

export async function insertCrl(db: Database, row: CrlRow): Promise<void> {
  await tables(db).insertInto('crls').values(row).execute()
}

/** What stands before and behind the entries in the signed part. */
export async function insertFrame(db: Database, { tenant_id, ca_id, part, number }: CrlKey, { head, tail }: { head: Uint8Array; tail: Uint8Array }): Promise<void> {
  const piece = (position: number, bytes: Uint8Array) => ({ tenant_id, ca_id, part, number, position, bytes: Buffer.from(bytes), entries: 0, same_as: null, stands: null, ends: null })
  await tables(db).insertInto('crl_pieces').values([piece(0, head), piece(behindAll, tail)]).execute()
}

/** The length of the signed part. */
export async function lengthOfPieces(db: Database, { tenant_id, ca_id, part, number }: CrlKey): Promise<number> {
  const { rows } = await sql<{ bytes: number | null }>`
    select sum(octet_length(source.bytes)) as bytes from crl_pieces as piece
    join crl_pieces as source on source.tenant_id = piece.tenant_id and source.ca_id = piece.ca_id and source.part = piece.part
      and source.number = coalesce(piece.same_as, piece.number) and source.position = piece.position
    where piece.tenant_id = ${tenant_id} and piece.ca_id = ${ca_id} and piece.part = ${part} and piece.number = ${number}`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** The signed part, in blocks. */
export const copyCrl = (db: Database, key: CrlKey): AsyncIterable<CopiedBlock> => copyOut(db, piecesFrom(key, -1, behindAll))

/** The next pieces behind a position, and the position of the last of them; nothing where there are no more. */
export async function readCrlPieces(db: Database, { tenant_id, ca_id, part, number }: CrlKey, after: number, most: number): Promise<{ last: number; blocks: Buffer[] }> {
  const found = await tables(db)
    .selectFrom('crl_pieces')
    .select('position')
    .where('tenant_id', '=', tenant_id)
    .where('ca_id', '=', ca_id)
    .where('part', '=', part)
    .where('number', '=', number)
    .where('position', '>', after)
    .orderBy('position')
    .limit(most)
    .execute()
  const last = found.at(-1)?.position
  if (last === undefined) return { last: after, blocks: [] }
  const blocks: Buffer[] = []
  const query = piecesFrom({ tenant_id, ca_id, part, number }, after, last)
  for await (const { bytes } of copyOut(db, query)) blocks.push(bytes)
  return { last, blocks }
}

/** Of two servers that signed the same bytes after a crash, the first is kept. The bytes of old lists go; their rows and hashes stay. */
export async function storeSignedCrl(db: Database, { tenant_id, ca_id, part, number }: CrlKey, signed: Required<Pick<CrlRow, 'head' | 'tail' | 'bytes' | 'etag'>>): Promise<void> {
  const crls = tables(db)
  await crls.updateTable('crls').set(signed).where('tenant_id', '=', tenant_id).where('ca_id', '=', ca_id).where('part', '=', part).where('number', '=', number).where('etag', 'is', null).execute()
  const kept = await crlsOf(db, { tenantId: tenant_id, caId: ca_id, part }).clearSelect().select('number').orderBy('number', 'desc').offset(crlsKept - 1).limit(1).executeTakeFirst()
  if (kept === undefined) return
  // What a list that stays refers to stays with it.
  await sql`
    delete from crl_pieces as old where tenant_id = ${tenant_id} and ca_id = ${ca_id} and part = ${part} and number < ${kept.number} and not exists (
      select from crl_pieces as newer where newer.tenant_id = ${tenant_id} and newer.ca_id = ${ca_id} and newer.part = ${part} and newer.same_as = old.number and newer.position = old.position
        and newer.number >= ${kept.number}
    )`.execute(db)
}

/** True the first time. */
export async function noteAlarm(db: Database, { tenant_id, ca_id, part, number }: CrlKey): Promise<boolean> {
  const { numUpdatedRows } = await tables(db)
    .updateTable('crls')
    .set({ alarmed: true })
    .where('tenant_id', '=', tenant_id)
    .where('ca_id', '=', ca_id)
    .where('part', '=', part)
    .where('number', '=', number)
    .where('alarmed', '=', false)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function statusSettingsOf(db: Database, tenantId: string, caId: string): Promise<StatusSettings> {
  const row = await tables(db).selectFrom('status_settings').selectAll().where('tenant_id', '=', tenantId).where('ca_id', '=', caId).executeTakeFirst()
  return row === undefined ? usualStatusSettings : settingsOf(row)
}

/** By authority; one that is not there has the usual. */
export const allStatusSettings = async (db: Database, tenantId: string): Promise<Map<string, StatusSettings>> =>
  new Map((await tables(db).selectFrom('status_settings').selectAll().where('tenant_id', '=', tenantId).execute()).map((row) => [row.ca_id, settingsOf(row)]))

const settingsOf = (row: StatusSettingsRow): StatusSettings => ({
  delta: row.delta,
  deltaMinutes: row.delta_minutes,
  responderId: row.responder_id,
  signedBy: !row.delegated ? 'authority' : row.signer_on_token ? 'signerOnToken' : 'signer',
})

export async function setStatusSettings(db: Database, tenantId: string, caId: string, { delta, deltaMinutes, responderId, signedBy }: StatusSettings): Promise<void> {
  const row = { delta, delta_minutes: deltaMinutes, responder_id: responderId, delegated: signedBy !== 'authority', signer_on_token: signedBy === 'signerOnToken' }
  await tables(db)
    .insertInto('status_settings')
    .values({ tenant_id: tenantId, ca_id: caId, ...row })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'ca_id']).doUpdateSet(row))
    .execute()
}

export async function insertDrill(db: Database, { query, report, ...columns }: DrillRecord): Promise<void> {
  await tables(db).insertInto('revocation_drills').values({ ...columns, query: JSON.stringify(query), report: JSON.stringify(report) }).execute()
}

export const findDrill = (db: Database, tenantId: string, id: string): Promise<DrillRecord | undefined> =>
  tables(db).selectFrom('revocation_drills').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export async function searchDrills(db: Database, tenantId: string, { text, page, size }: { text: string; page: number; size: number }): Promise<{ rows: DrillRecord[]; total: number }> {
  const wanted = text.trim().toLowerCase()
  const found = tables(db)
    .selectFrom('revocation_drills')
    .where('tenant_id', '=', tenantId)
    .$if(wanted !== '', (all) => all.where(sql<boolean>`position(${wanted} in lower(name || ' ' || by_name)) > 0`))
  const counted = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirst()
  const rows = await found.selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(size).offset((page - 1) * size).execute()
  return { rows, total: Number(counted?.total ?? 0) }
}
