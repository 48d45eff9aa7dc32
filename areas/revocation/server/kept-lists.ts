// Lists of ordinary size stay in memory from when they were made or read last: a relying party that fetches one costs no reading then. Each is found by the hash
// of what was signed, which stands with the newest list in the database, so nothing but that list can be taken for it.

const mostBytes = 8 * 1024 * 1024

const kept = new Map<string, readonly Buffer[]>()
let bytesKept = 0

/** Whether a list of so many bytes is kept at all. */
export const mayKeepList = (bytes: number): boolean => bytes <= mostBytes

/** The signed part, in blocks. */
export function keptList(sha256: Buffer): readonly Buffer[] | undefined {
  const key = sha256.toString('latin1')
  const blocks = kept.get(key)
  if (blocks === undefined) return undefined
  // The one used last is the last to go.
  kept.delete(key)
  kept.set(key, blocks)
  return blocks
}

/** `length`: of the whole, so that nothing incomplete is kept. */
export function keepList(sha256: Buffer, blocks: readonly Buffer[], length: number): void {
  const key = sha256.toString('latin1')
  const bytes = lengthOf(blocks)
  if (kept.has(key) || !mayKeepList(bytes) || bytes !== length) return
  kept.set(key, blocks)
  bytesKept += bytes
  for (const [oldest, others] of kept) {
    if (bytesKept <= mostBytes) return
    kept.delete(oldest)
    bytesKept -= lengthOf(others)
  }
}

/** As a new start does. */
export function forgetLists(): void {
  kept.clear()
  bytesKept = 0
}

const lengthOf = (blocks: readonly Buffer[]): number => blocks.reduce((sum, { length }) => sum + length, 0)
