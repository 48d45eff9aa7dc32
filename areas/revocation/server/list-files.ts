// Streams the newest signed list of an authority, from the cache where it is cached.

import { inTenant, type Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { latestSignedCrl, piecesOf, readCrlPieces, readPiece, type ListId, type PieceInMemory } from './crl-store.ts'
import { cacheList, cachedList, mayCacheList } from './list-cache.ts'
import type { CrlRow } from './store.ts'

export type StoredCrl = CrlRow & { head: Buffer; tail: Buffer; etag: string }

/** The newest signed list of a kind; undefined where there is none. */
export async function currentCrl(house: House, list: ListId): Promise<StoredCrl | undefined> {
  const row = await inTenant(house.database, list.tenantId, (db) => latestSignedCrl(db, list))
  return row?.head == null || row.tail === null || row.etag === null
    ? undefined
    : { ...row, head: row.head, tail: row.tail, etag: row.etag }
}

/** Reads the newest list of a kind as one buffer. Only for supplied lists, which are small. */
export async function wholeFile(db: Database, id: ListId): Promise<Buffer | undefined> {
  const list = await latestSignedCrl(db, id)
  if (list?.head == null || list.tail === null) return undefined
  const blocks = [list.head]
  for (let after = -1; ;) {
    const { last, blocks: next } = await readCrlPieces(db, list, after, piecesAtOnce)
    if (next.length === 0) return Buffer.concat([...blocks, list.tail])
    blocks.push(...next)
    after = last
  }
}

/** So many pieces are read at once; no transaction stays open while a slow client takes them. */
const piecesAtOnce = 4

/** The file, bit by bit. */
export async function* bytesOf(house: House, list: StoredCrl): AsyncGenerator<Uint8Array> {
  yield list.head
  const pieces = cachedList(list.to_be_signed_sha256) ?? (mayCacheList(list.bytes) ? await readOnce(house, list) : undefined)
  if (pieces === undefined) yield* readingOf(house, list)
  else for (const { bytes } of pieces) yield bytes
  yield list.tail
}

const beingRead = new Map<string, Promise<readonly PieceInMemory[]>>()

/** One reading for all who fetch the list meanwhile: however many take it slowly, it is in memory once. */
function readOnce(house: House, list: StoredCrl): Promise<readonly PieceInMemory[]> {
  const sha256 = list.to_be_signed_sha256
  const key = sha256.toString('latin1')
  const running = beingRead.get(key)
  if (running !== undefined) return running
  const reading = inTenant(house.database, list.tenant_id, async (db) => {
    const pieces: PieceInMemory[] = []
    for (const piece of await piecesOf(db, list)) pieces.push(await readPiece(db, list, piece))
    cacheList(sha256, pieces, list.bytes - list.head.length - list.tail.length)
    return pieces
  }).finally(() => beingRead.delete(key))
  beingRead.set(key, reading)
  return reading
}

async function* readingOf(house: House, list: StoredCrl): AsyncGenerator<Buffer> {
  const read = (after: number) => inTenant(house.database, list.tenant_id, (db) => readCrlPieces(db, list, after, piecesAtOnce))
  for (let coming = read(-1); ;) {
    const { last, blocks } = await coming
    if (blocks.length === 0) break
    // The database reads on while the client takes these. Where the client goes away meanwhile, nobody waits for it.
    coming = read(last)
    coming.catch(() => undefined)
    yield* blocks
  }
}
