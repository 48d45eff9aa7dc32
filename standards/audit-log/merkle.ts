// The audit log as the Merkle tree of RFC 6962: each row is a leaf, the root stands for all of them. Appending needs
// only the frontier, the roots of the perfect subtrees that the rows so far fall into (one for each 1 bit of their
// number, largest first), so a sequencer carries 32 bytes times log2(n) from row to row. Every other hash in the tree
// belongs to a perfect subtree as well, or is folded from a few of them; proofs therefore name the perfect subtrees
// they need, and the caller fetches these in one read.
import { createHash, timingSafeEqual } from 'node:crypto'

export class AuditLogError extends Error {
  override name = 'AuditLogError'
}

export const HASH_BYTES = 32

/** `peaks` are the perfect subtrees of `size` rows, largest first; there are as many as `size` has 1 bits. */
export interface Frontier {
  readonly size: number
  readonly peaks: readonly Uint8Array[]
}

/** The perfect subtree over rows `index * 2^level` up to, and without, `(index + 1) * 2^level`. */
export interface NodePosition {
  readonly level: number
  readonly index: number
}

/** Gives the hashes of perfect subtrees, in the order asked. All that a proof needs is asked for in one call. */
export type ReadNodes = (positions: readonly NodePosition[]) => readonly Uint8Array[] | Promise<readonly Uint8Array[]>

const LEAF_PREFIX = Buffer.of(0)
const NODE_PREFIX = Buffer.of(1)

/** RFC 6962 section 2.1: SHA-256(0x00 || row). */
export function leafHash(row: Uint8Array): Uint8Array {
  return createHash('sha256').update(LEAF_PREFIX).update(row).digest()
}

/** RFC 6962 section 2.1: SHA-256(0x01 || left || right). */
function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return createHash('sha256').update(NODE_PREFIX).update(left).update(right).digest()
}

export const EMPTY_FRONTIER: Frontier = { size: 0, peaks: [] }

/**
 * The frontier with one row more. `completed` is told of each perfect subtree that the row completes, its own leaf
 * included: stored by position, they serve proofs later without reading rows again.
 */
export function appendLeaf(frontier: Frontier, hash: Uint8Array, completed?: (position: NodePosition, hash: Uint8Array) => void): Frontier {
  mustBeHash(hash)
  const peaks = [...frontier.peaks]
  let peak = hash
  let index = frontier.size
  let level = 0
  completed?.({ level, index }, peak)
  while (index % 2 === 1) {
    const left = peaks.pop()
    if (left === undefined) throw new AuditLogError('The frontier has fewer hashes than its size says')
    peak = nodeHash(left, peak)
    index = (index - 1) / 2
    level += 1
    completed?.({ level, index }, peak)
  }
  peaks.push(peak)
  return { size: frontier.size + 1, peaks }
}

/** The root of the tree; of no rows it is SHA-256 of nothing (RFC 6962 section 2.1). */
export function rootOf({ peaks }: Frontier): Uint8Array {
  return fold(peaks)
}

/** The path that proves row `index` to be in the tree of `size` rows (RFC 6962 section 2.1.1), nearest sibling first. */
export async function inclusionProof(size: number, index: number, readNodes: ReadNodes): Promise<Uint8Array[]> {
  mustBeSize(size, 'size')
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) {
    throw new AuditLogError(`Row ${index} is not in a log of ${size} rows`)
  }
  const siblings: Range[] = []
  let range: Range = { from: 0, to: size }
  while (range.to - range.from > 1) {
    const middle = range.from + largestPowerOfTwoBelow(range.to - range.from)
    const left = { from: range.from, to: middle }
    const right = { from: middle, to: range.to }
    siblings.push(index < middle ? right : left)
    range = index < middle ? left : right
  }
  return hashesOf(siblings.reverse(), readNodes)
}

/** The path that proves the log of `first` rows to be the beginning of the log of `second` rows (RFC 6962 section 2.1.2). */
export async function consistencyProof(first: number, second: number, readNodes: ReadNodes): Promise<Uint8Array[]> {
  mustBeSize(first, 'first size')
  mustBeSize(second, 'second size')
  if (first > second) throw new AuditLogError(`A log of ${second} rows does not begin with ${first} rows`)
  if (first === 0 || first === second) return []
  const ranges: Range[] = []
  let range: Range = { from: 0, to: second }
  while (range.to !== first) {
    const middle = range.from + largestPowerOfTwoBelow(range.to - range.from)
    const left = { from: range.from, to: middle }
    const right = { from: middle, to: range.to }
    ranges.push(first <= middle ? right : left)
    range = first <= middle ? left : right
  }
  // Where the old log is itself one perfect subtree of the new one, its root is known to the verifier and left out.
  if (range.from > 0) ranges.push(range)
  return hashesOf(ranges.reverse(), readNodes)
}

export interface InclusionClaim {
  leafHash: Uint8Array
  index: number
  size: number
  root: Uint8Array
  proof: readonly Uint8Array[]
}

/** RFC 9162 section 2.1.3.2. False for anything that does not prove it, malformed input included. */
export function verifyInclusion({ leafHash: leaf, index, size, root, proof }: InclusionClaim): boolean {
  if (!isCount(index) || !isCount(size) || index >= size || !areHashes([leaf, root, ...proof])) return false
  let node = index
  let last = size - 1
  let hash = leaf
  for (const sibling of proof) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash)
      while (node % 2 === 0 && node !== 0) [node, last] = [parent(node), parent(last)]
    } else {
      hash = nodeHash(hash, sibling)
    }
    ;[node, last] = [parent(node), parent(last)]
  }
  return last === 0 && timingSafeEqual(hash, root)
}

export interface ConsistencyClaim {
  first: number
  second: number
  firstRoot: Uint8Array
  secondRoot: Uint8Array
  proof: readonly Uint8Array[]
}

/** RFC 9162 section 2.1.4.2. False for anything that does not prove it, malformed input included. */
export function verifyConsistency({ first, second, firstRoot, secondRoot, proof }: ConsistencyClaim): boolean {
  if (!isCount(first) || !isCount(second) || first > second || !areHashes([firstRoot, secondRoot, ...proof])) return false
  if (first === second) return proof.length === 0 && timingSafeEqual(firstRoot, secondRoot)
  if (first === 0) return proof.length === 0 && timingSafeEqual(firstRoot, rootOf(EMPTY_FRONTIER))
  let node = first - 1
  let last = second - 1
  while (node % 2 === 1) [node, last] = [parent(node), parent(last)]
  // A first size that is a power of two is a perfect subtree of the second: the path then starts from its own root.
  const path = node === 0 ? [firstRoot, ...proof] : [...proof]
  const start = path.shift()
  if (start === undefined) return false
  let firstHash = start
  let secondHash = start
  for (const sibling of path) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      firstHash = nodeHash(sibling, firstHash)
      secondHash = nodeHash(sibling, secondHash)
      while (node % 2 === 0 && node !== 0) [node, last] = [parent(node), parent(last)]
    } else {
      secondHash = nodeHash(secondHash, sibling)
    }
    ;[node, last] = [parent(node), parent(last)]
  }
  return last === 0 && timingSafeEqual(firstHash, firstRoot) && timingSafeEqual(secondHash, secondRoot)
}

/** Reads perfect subtrees by hashing them from leaf hashes: for a log small enough to hold, and for a verifier. */
export function nodesFromLeaves(leafHashes: readonly Uint8Array[]): ReadNodes {
  const subtree = (from: number, count: number): Uint8Array => {
    if (count > 1) return nodeHash(subtree(from, count / 2), subtree(from + count / 2, count / 2))
    const leaf = leafHashes[from]
    if (leaf === undefined) throw new AuditLogError(`Row ${from} is not among ${leafHashes.length} rows`)
    return leaf
  }
  return (positions) => positions.map(({ level, index }) => subtree(index * 2 ** level, 2 ** level))
}

/** Rows `from` up to, and without, `to`, as RFC 6962's recursion cuts them. */
interface Range {
  readonly from: number
  readonly to: number
}

async function hashesOf(ranges: readonly Range[], readNodes: ReadNodes): Promise<Uint8Array[]> {
  const wanted = ranges.map(perfectSubtrees)
  const positions = wanted.flat()
  const hashes = positions.length === 0 ? [] : await readNodes(positions)
  if (hashes.length !== positions.length) {
    throw new AuditLogError(`${positions.length} tree hashes were asked for and ${hashes.length} came back`)
  }
  let at = 0
  return wanted.map(({ length }) => fold(hashes.slice(at, (at += length))))
}

function perfectSubtrees({ from, to }: Range): NodePosition[] {
  const positions: NodePosition[] = []
  for (let at = from; at < to;) {
    const count = largestPowerOfTwoBelow(to - at + 1)
    positions.push({ level: Math.log2(count), index: at / count })
    at += count
  }
  return positions
}

/** Perfect subtrees side by side, largest first, joined from the smallest up. */
function fold(peaks: readonly Uint8Array[]): Uint8Array {
  if (peaks.length === 0) return createHash('sha256').digest()
  for (const peak of peaks) mustBeHash(peak)
  return peaks.reduceRight((right, left) => nodeHash(left, right))
}

/** The largest power of two smaller than `count`, which is at least 2. Not by shifts: a log may pass 2^31 rows. */
function largestPowerOfTwoBelow(count: number): number {
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}

function parent(index: number): number {
  return Math.floor(index / 2)
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function areHashes(values: readonly Uint8Array[]): boolean {
  return values.every((value) => value.length === HASH_BYTES)
}

function mustBeSize(value: number, field: string): void {
  if (!isCount(value)) throw new AuditLogError(`The ${field} of a log is a whole number from 0`)
}

function mustBeHash(hash: Uint8Array): void {
  if (hash.length !== HASH_BYTES) throw new AuditLogError(`A tree hash has ${HASH_BYTES} bytes, not ${hash.length}`)
}
