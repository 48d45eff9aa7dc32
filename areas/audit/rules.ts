// The log's arithmetic that both the sequencer and the proofs need.

export type TreePosition = { level: number; index: number }

/** Where the perfect subtrees lie that a log of `size` rows falls into, largest first: one for each 1 bit. */
export function peakPositions(size: number): TreePosition[] {
  const positions: TreePosition[] = []
  let start = 0
  for (let level = Math.ceil(Math.log2(size + 1)); level >= 0; level -= 1) {
    const count = 2 ** level
    if (Math.floor(size / count) % 2 === 0) continue
    positions.push({ level, index: start / count })
    start += count
  }
  return positions
}

/** How often a checkpoint is signed while events come in. */
export const checkpointMilliseconds = 1_000

/** How long the sequencer lets events gather between two batches that were not full. */
export const gatherMilliseconds = 50

/** Events in one transaction of the sequencer. */
export const numberingBatch = 2_000

/** A search for text inside events looks at this many of the newest that the other filters leave. */
export const textSearchDepth = 50_000

/** A search for a name looks for the events of so many things of each kind that are called so. */
export const mostNamed = 200

/** A committed event gets its number within a second where a server runs; one that waits longer than this was tampered with, or nothing numbers. */
export const longestUnnumberedMilliseconds = 60_000

/** How soon a tree that could not be proven is looked at again. */
export const proveAgainMilliseconds = 2_000
