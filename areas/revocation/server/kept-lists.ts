// Lists of ordinary size stay in memory from when they were made or read last: a relying party that fetches one costs no reading then. Each is found by the hash
// of what was signed, which stands with the newest list in the database, so nothing but that list can be taken for it. A list is kept in its pieces:
// the next one consists of most of them.

import type { PieceInMemory } from './crl-store.ts'

const mostBytes = 8 * 1024 * 1024

const kept = new Map<string, readonly PieceInMemory[]>()
let bytesKept = 0

/** Whether a list of so many bytes is kept at all. */
export const mayKeepList = (bytes: number): boolean => bytes <= mostBytes

/** The signed part. */
export function keptList(sha256: Buffer): readonly PieceInMemory[] | undefined {
  const key = sha256.toString('latin1')
  const pieces = kept.get(key)
  if (pieces === undefined) return undefined
  // The one used last is the last to go.
  kept.delete(key)
  kept.set(key, pieces)
  return pieces
}

/** `length`: of the whole, so that nothing incomplete is kept. `insteadOf`: the list that nobody asks for any more, as this one follows it. */
export function keepList(sha256: Buffer, pieces: readonly PieceInMemory[], length: number, insteadOf?: Buffer): void {
  const key = sha256.toString('latin1')
  const bytes = lengthOf(pieces)
  if (kept.has(key) || !mayKeepList(bytes) || bytes !== length) return
  if (insteadOf !== undefined) forget(insteadOf.toString('latin1'))
  kept.set(key, pieces)
  bytesKept += bytes
  for (const oldest of kept.keys()) {
    if (bytesKept <= mostBytes) return
    forget(oldest)
  }
}

function forget(key: string): void {
  bytesKept -= lengthOf(kept.get(key) ?? [])
  kept.delete(key)
}

/** As a new start does. */
export function forgetLists(): void {
  kept.clear()
  bytesKept = 0
}

const lengthOf = (pieces: readonly PieceInMemory[]): number => pieces.reduce((sum, { bytes }) => sum + bytes.length, 0)
