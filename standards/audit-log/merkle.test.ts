import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  AuditLogError,
  EMPTY_FRONTIER,
  appendLeaf,
  consistencyProof,
  inclusionProof,
  leafHash,
  nodesFromLeaves,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts'
import type { Frontier, NodePosition, ReadNodes } from './merkle.ts'

interface Vectors {
  leaves: string[]
  roots: string[]
  inclusion: { index: number; size: number; proof: string[] }[]
  consistency: { first: number; second: number; proof: string[] }[]
}

const vectors: Vectors = JSON.parse(readFileSync(new URL('./certificate-transparency.vectors.json', import.meta.url), 'utf8'))
const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
const hex = (value: Uint8Array) => Buffer.from(value).toString('hex')
const leaves = vectors.leaves.map((leaf) => leafHash(bytes(leaf)))
const root = (size: number) => bytes(vectors.roots[size] ?? '')

const key = ({ level, index }: NodePosition) => `${level}/${index}`

/** A log as the product keeps one: the frontier in one row, completed nodes by position. */
function grow(rows: readonly Uint8Array[]): {
  frontier: Frontier
  nodes: Map<string, Uint8Array>
  roots: Uint8Array[]
  readNodes: ReadNodes
} {
  const nodes = new Map<string, Uint8Array>()
  let frontier = EMPTY_FRONTIER
  const roots = [rootOf(frontier)]
  for (const row of rows) {
    frontier = appendLeaf(frontier, leafHash(row), (position, hash) => nodes.set(key(position), hash))
    roots.push(rootOf(frontier))
  }
  const readNodes: ReadNodes = async (positions) =>
    positions.map((position) => {
      const hash = nodes.get(key(position))
      if (hash === undefined) throw new Error(`node ${key(position)} was never completed`)
      return hash
    })
  return { frontier, nodes, roots, readNodes }
}

const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => Buffer.from(`row ${index}`))

describe('the vectors of certificate transparency', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('the root of the first %i leaves', (size) => {
    const frontier = leaves.slice(0, size).reduce<Frontier>((before, leaf) => appendLeaf(before, leaf), EMPTY_FRONTIER)
    expect(hex(rootOf(frontier))).toBe(vectors.roots[size])
  })

  test.each(vectors.inclusion)('leaf $index is proven to be in the tree of $size', async ({ index, size, proof }) => {
    const made = await inclusionProof(size, index, nodesFromLeaves(leaves))
    expect(made.map(hex)).toEqual(proof)
    const leaf = leaves[index]
    expect(leaf !== undefined && verifyInclusion({ leafHash: leaf, index, size, root: root(size), proof: proof.map(bytes) })).toBe(true)
  })

  test.each(vectors.consistency)('the tree of $first is proven to begin the tree of $second', async ({ first, second, proof }) => {
    const made = await consistencyProof(first, second, nodesFromLeaves(leaves))
    expect(made.map(hex)).toEqual(proof)
    expect(verifyConsistency({ first, second, firstRoot: root(first), secondRoot: root(second), proof: proof.map(bytes) })).toBe(true)
  })
})

describe('a growing log', () => {
  const SIZE = 70
  const { roots, readNodes } = grow(rowsOf(SIZE))
  const leafOf = (index: number) => leafHash(Buffer.from(`row ${index}`))
  const rootAt = (size: number) => roots[size] ?? Buffer.alloc(0)

  test('proves every row at every size, and to no other row, size or root', async () => {
    for (let size = 1; size <= SIZE; size++) {
      for (let index = 0; index < size; index++) {
        const claim = { leafHash: leafOf(index), index, size, root: rootAt(size), proof: await inclusionProof(size, index, readNodes) }
        expect(verifyInclusion(claim)).toBe(true)
        expect(verifyInclusion({ ...claim, index: (index + 1) % size })).toBe(size === 1)
        expect(verifyInclusion({ ...claim, leafHash: leafOf(index + 1) })).toBe(false)
        expect(verifyInclusion({ ...claim, root: rootAt(size - 1) })).toBe(false)
        expect(verifyInclusion({ ...claim, proof: [...claim.proof, rootAt(1)] })).toBe(false)
        expect(verifyInclusion({ ...claim, proof: claim.proof.slice(1) })).toBe(size === 1)
      }
    }
  })

  test('proves every size to begin every later size, and no other', async () => {
    for (let second = 0; second <= SIZE; second++) {
      for (let first = 0; first <= second; first++) {
        const claim = {
          first,
          second,
          firstRoot: rootAt(first),
          secondRoot: rootAt(second),
          proof: await consistencyProof(first, second, readNodes),
        }
        expect(verifyConsistency(claim)).toBe(true)
        // An empty log begins every log, whatever its root.
        expect(verifyConsistency({ ...claim, secondRoot: leafOf(3) })).toBe(first === 0 && second > 0)
        expect(verifyConsistency({ ...claim, firstRoot: leafOf(3) })).toBe(false)
        expect(verifyConsistency({ ...claim, proof: [...claim.proof, rootAt(1)] })).toBe(false)
        expect(verifyConsistency({ ...claim, proof: claim.proof.slice(1) })).toBe(claim.proof.length === 0)
      }
    }
  })

  test('any changed bit of a proof breaks it', () => {
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: SIZE }), fc.nat(), fc.nat(), async (size, pickRow, pickBit) => {
        const index = pickRow % size
        const proof = (await inclusionProof(size, index, readNodes)).map((hash) => Buffer.from(hash))
        const bit = pickBit % (proof.length * 256)
        const hash = proof[bit >> 8]
        hash?.writeUInt8(hash.readUInt8((bit & 255) >> 3) ^ (1 << (bit & 7)), (bit & 255) >> 3)
        expect(verifyInclusion({ leafHash: leafOf(index), index, size, root: rootAt(size), proof })).toBe(false)
      }),
    )
  })

  test('a proof costs one read of at most two hashes a level', async () => {
    const reads: number[] = []
    await inclusionProof(SIZE, 33, async (positions) => {
      reads.push(positions.length)
      return readNodes(positions)
    })
    expect(reads).toHaveLength(1)
    expect(reads[0]).toBeLessThanOrEqual(14)
  })

  test('passes the size at which 32-bit arithmetic would turn over', async () => {
    const size = 2 ** 40 + 3
    const asked: NodePosition[] = []
    const proof = await inclusionProof(size, 2 ** 40 + 1, (positions) => {
      asked.push(...positions)
      return positions.map(() => leafHash(Buffer.alloc(0)))
    })
    expect(proof).toHaveLength(3)
    expect(asked).toContainEqual({ level: 40, index: 0 })
  })
})

describe('malformed input', () => {
  test.each([
    ['a row outside the log', () => inclusionProof(4, 4, () => [])],
    ['a negative row', () => inclusionProof(4, -1, () => [])],
    ['a size that is no number', () => inclusionProof(Number.NaN, 0, () => [])],
    ['a consistency proof backwards', () => consistencyProof(5, 4, () => [])],
    ['a reader that gives too few hashes', () => inclusionProof(4, 1, () => [])],
    ['a reader that gives short hashes', () => inclusionProof(4, 1, (positions) => positions.map(() => new Uint8Array(31)))],
  ])('%s is refused', async (_what, attempt) => {
    await expect(attempt()).rejects.toThrow(AuditLogError)
  })

  test('a row hash of another length is refused', () => {
    expect(() => appendLeaf(EMPTY_FRONTIER, new Uint8Array(31))).toThrow(AuditLogError)
  })

  test('hashes of another length prove nothing', () => {
    expect(verifyInclusion({ leafHash: new Uint8Array(31), index: 0, size: 1, root: new Uint8Array(31), proof: [] })).toBe(false)
    expect(verifyConsistency({ first: 1, second: 1, firstRoot: new Uint8Array(31), secondRoot: new Uint8Array(31), proof: [] })).toBe(false)
  })
})
