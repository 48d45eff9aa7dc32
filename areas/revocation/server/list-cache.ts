// Caches revocation lists of ordinary size, so that a relying party that fetches one costs no reading of the database. The key is the hash of the signed
// part, which the database holds for the newest list, so an older list can never be served in its place. A list is cached in pieces, because the next
// list shares most of them.

import type { PieceInMemory } from './crl-store.ts'

const mostBytes = 8 * 1024 * 1024

const cache = new Map<string, readonly PieceInMemory[]>()
let bytesCached = 0

/** Refuses lists that would fill the cache alone. */
export const mayCacheList = (bytes: number): boolean => bytes <= mostBytes

/** Finds the signed part of a list by its hash. */
export function cachedList(sha256: Buffer): readonly PieceInMemory[] | undefined {
  const key = sha256.toString('latin1')
  const pieces = cache.get(key)
  if (pieces === undefined) return undefined
  // Moves it to the end, because the least recently used list is removed first.
  cache.delete(key)
  cache.set(key, pieces)
  return pieces
}

/** Caches a list. `length` is that of the whole signed part, so that nothing incomplete is cached. `insteadOf` names the list before, which nobody fetches any more. */
export function cacheList(sha256: Buffer, pieces: readonly PieceInMemory[], length: number, insteadOf?: Buffer): void {
  const key = sha256.toString('latin1')
  const bytes = lengthOf(pieces)
  if (cache.has(key) || !mayCacheList(bytes) || bytes !== length) return
  if (insteadOf !== undefined) forget(insteadOf.toString('latin1'))
  cache.set(key, pieces)
  bytesCached += bytes
  for (const oldest of cache.keys()) {
    if (bytesCached <= mostBytes) return
    forget(oldest)
  }
}

function forget(key: string): void {
  bytesCached -= lengthOf(cache.get(key) ?? [])
  cache.delete(key)
}

/** Empties the cache, as a restart does. */
export function forgetLists(): void {
  cache.clear()
  bytesCached = 0
}

const lengthOf = (pieces: readonly PieceInMemory[]): number => pieces.reduce((sum, { bytes }) => sum + bytes.length, 0)
