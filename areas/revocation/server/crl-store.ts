// Lists and their signed parts, which lie in pieces: a list that begins like the one before it refers to that one's bytes.

import { sql, type RawBuilder } from 'kysely'
import { copyOut, literal } from '#core/server/copy-out.ts'
import { reuseBlock, type CopiedBlock } from '#core/server/copy-reader.ts'
import type { Database } from '#core/server/database.ts'
import { crlsRetained } from '../rules.ts'
import { tables, type CrlRow } from './store.ts'

/** One server at a time gives an authority's lists their numbers; held to the end of the transaction. */
export async function lockNumbers(db: Database, caId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`crl:${caId}`}, 0))`.execute(db)
}

export type ListId = { tenantId: string; caId: string; part: number }

const crlsOf = (db: Database, { tenantId, caId, part }: ListId) =>
  tables(db).selectFrom('crls').selectAll().where('tenant_id', '=', tenantId).where('ca_id', '=', caId).where('part', '=', part)

export const latestCrl = (db: Database, list: ListId): Promise<CrlRow | undefined> =>
  crlsOf(db, list).orderBy('number', 'desc').limit(1).executeTakeFirst()

export const latestSignedCrl = (db: Database, list: ListId): Promise<CrlRow | undefined> =>
  crlsOf(db, list).where('etag', 'is not', null).orderBy('number', 'desc').limit(1).executeTakeFirst()

/** The oldest signed list that has not ended: everyone who holds a list that counts holds this one or a newer. */
export const oldestLastingCrl = (db: Database, list: ListId, now: Date): Promise<CrlRow | undefined> =>
  crlsOf(db, list).where('etag', 'is not', null).where('next_update', '>', now).orderBy('number').limit(1).executeTakeFirst()

/** The last number given to any list of the authority. */
export async function lastCrlNumber(db: Database, tenantId: string, caId: string): Promise<number | undefined> {
  const row = await tables(db)
    .selectFrom('crls')
    .select('number')
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.number
}

export type CrlSummary = Pick<
  CrlRow,
  'ca_id' | 'part' | 'number' | 'revision' | 'entry_count' | 'this_update' | 'next_update' | 'bytes' | 'alarmed'
>

/** The newest signed list of each kind, of one authority or all. */
export async function crlSummaries(db: Database, tenantId: string, caId?: string): Promise<CrlSummary[]> {
  const { rows } = await sql<CrlSummary>`
    select distinct on (ca_id, part) ca_id, part, number, revision, entry_count, this_update, next_update, bytes, alarmed
    from crls where tenant_id = ${tenantId} and etag is not null ${caId === undefined ? sql`` : sql`and ca_id = ${caId}`} order by ca_id, part, number desc`.execute(
    db,
  )
  return rows
}

type CrlKey = Pick<CrlRow, 'tenant_id' | 'ca_id' | 'part' | 'number'>

/** A piece of a list: the list in which its bytes lie, under the same position, how many they are, and how many entries. */
export type CrlPiece = { position: number; source: number; length: number; entries: number }
/** With its bytes. */
export type PieceInMemory = Pick<CrlPiece, 'position' | 'source'> & { bytes: Buffer }

/** Puts the entries that `runs` selects under the number, each run a piece. What stands before and behind them is put in by insertFrame. */
export async function insertEntries(db: Database, key: CrlKey, runs: RawBuilder<unknown>): Promise<CrlPiece[]> {
  const { tenant_id, ca_id, part, number } = key
  await sql`
    insert into crl_pieces (tenant_id, ca_id, part, number, position, bytes, entries, same_as, stands, ends)
    select ${tenant_id}, ${ca_id}, ${part}, ${number}, run.position, run.bytes, run.entries, run.source, run.stands, run.ends from (${runs}) as run`.execute(
    db,
  )
  return piecesOf(db, key)
}

/** Of which pieces a list consists, in their order. */
export async function piecesOf(db: Database, { tenant_id, ca_id, part, number }: CrlKey): Promise<CrlPiece[]> {
  const { rows } = await sql<CrlPiece>`
    select piece.position, source.number as source, octet_length(source.bytes) as length, piece.entries from crl_pieces as piece
    join crl_pieces as source on source.tenant_id = piece.tenant_id and source.ca_id = piece.ca_id and source.part = piece.part
      and source.number = coalesce(piece.same_as, piece.number) and source.position = piece.position
    where piece.tenant_id = ${tenant_id} and piece.ca_id = ${ca_id} and piece.part = ${part} and piece.number = ${number} order by piece.position`.execute(
    db,
  )
  return rows
}

const ofKey = ({ tenant_id, ca_id, part, number }: CrlKey) =>
  sql`tenant_id = ${tenant_id} and ca_id = ${ca_id} and part = ${part} and number = ${number}`

/** The runs of a list, for the next one of its kind: where each lies and what tells that it is the same. */
export const runsOfCrl = (key: CrlKey): RawBuilder<unknown> =>
  sql`select position, coalesce(same_as, number) as source, entries, stands, ends from crl_pieces where ${ofKey(key)} and position between 1 and ${behindAll - 1}`

/**
 * The pieces of a list at certain positions, with the bytes wherever they lie, as a query: COPY takes no parameters. In slices, as the driver joins what
 * is longer than it reads at once from ever larger copies; they are cut when the order is made, so that it is made of references.
 */
const piecesAt = ({ tenant_id, ca_id, part, number }: CrlKey, positions: string): string => `
  select substr(bytes, start, ${sliceBytes}) from (
    select source.bytes, slice.start from crl_pieces as piece
    join crl_pieces as source on source.tenant_id = piece.tenant_id and source.ca_id = piece.ca_id and source.part = piece.part
      and source.number = coalesce(piece.same_as, piece.number) and source.position = piece.position
    cross join lateral generate_series(1, octet_length(source.bytes), ${sliceBytes}) as slice (start)
    where piece.tenant_id = ${literal(tenant_id)} and piece.ca_id = ${literal(ca_id)} and piece.part = ${literal(part)} and piece.number = ${literal(number)}
      and piece.position ${positions} order by piece.position, slice.start offset 0
  ) as ordered`

const sliceBytes = 32_768
const behindAll = 2_147_483_647

export async function insertCrl(db: Database, row: CrlRow): Promise<void> {
  await tables(db).insertInto('crls').values(row).execute()
}

/** Puts in what stands before and behind the entries in the signed part; returns the two pieces. */
export async function insertFrame(
  db: Database,
  { tenant_id, ca_id, part, number }: CrlKey,
  { head, tail }: { head: Uint8Array; tail: Uint8Array },
): Promise<[FramePiece, FramePiece]> {
  const piece = (position: number, bytes: Uint8Array): FramePiece => ({
    position,
    source: number,
    length: bytes.length,
    entries: 0,
    bytes: Buffer.from(bytes),
  })
  const frame: [FramePiece, FramePiece] = [piece(0, head), piece(behindAll, tail)]
  await tables(db)
    .insertInto('crl_pieces')
    .values(
      frame.map(({ position, bytes, entries }) => ({
        tenant_id,
        ca_id,
        part,
        number,
        position,
        bytes,
        entries,
        same_as: null,
        stands: null,
        ends: null,
      })),
    )
    .execute()
  return frame
}
type FramePiece = CrlPiece & PieceInMemory

/** The signed part, in blocks. */
export const copyCrl = (db: Database, key: CrlKey): AsyncIterable<CopiedBlock> => copyOut(db, piecesAt(key, '>= 0'))

/** The bytes of one piece. */
export async function readPiece(db: Database, key: CrlKey, { position, source, length }: CrlPiece): Promise<PieceInMemory> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let filled = 0
  for await (const block of copyOut(db, piecesAt(key, `= ${literal(position)}`))) {
    block.bytes.copy(bytes, filled)
    filled += block.bytes.length
    reuseBlock(block)
  }
  if (filled !== length) throw new Error(`The piece ${position} of the list ${key.number} has ${filled} bytes and should have ${length}`)
  return { position, source, bytes }
}

/** The next pieces behind a position, and the position of the last of them; nothing where there are no more. */
export async function readCrlPieces(
  db: Database,
  { tenant_id, ca_id, part, number }: CrlKey,
  after: number,
  most: number,
): Promise<{ last: number; blocks: Buffer[] }> {
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
  const query = piecesAt({ tenant_id, ca_id, part, number }, `between ${literal(after + 1)} and ${literal(last)}`)
  for await (const { bytes } of copyOut(db, query)) blocks.push(bytes)
  return { last, blocks }
}

/** Of two servers that signed the same bytes after a crash, the first is kept. The bytes of old lists go; their rows and hashes stay. */
export async function storeSignedCrl(
  db: Database,
  { tenant_id, ca_id, part, number }: CrlKey,
  signed: Required<Pick<CrlRow, 'head' | 'tail' | 'bytes' | 'etag'>>,
): Promise<void> {
  const crls = tables(db)
  await crls
    .updateTable('crls')
    .set(signed)
    .where('tenant_id', '=', tenant_id)
    .where('ca_id', '=', ca_id)
    .where('part', '=', part)
    .where('number', '=', number)
    .where('etag', 'is', null)
    .execute()
  const kept = await crlsOf(db, { tenantId: tenant_id, caId: ca_id, part })
    .clearSelect()
    .select('number')
    .orderBy('number', 'desc')
    .offset(crlsRetained - 1)
    .limit(1)
    .executeTakeFirst()
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
