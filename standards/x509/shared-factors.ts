// RSA moduli that share a prime: whoever holds both public keys has both private ones (Heninger and others, "Mining your Ps and Qs", 2012).
// One modulus is compared with many by their product, and many with each other by Bernstein's product and remainder trees, so that
// n moduli cost little more than n, not n squared.
import type { KeyFinding } from './key-checks.ts'
import { greatestCommonDivisor, numberOf } from './rsa-checks.ts'

/** The product of moduli (unsigned, big-endian), to be kept for commonFactor: as many bits as all of them together. 1 for none. */
export function productOfModuli(moduli: readonly Uint8Array[]): bigint {
  return treeOf(moduli.map(numberOf)).at(-1)?.[0] ?? 1n
}

/**
 * The largest factor that the modulus shares with the others of the product, or undefined. `included`: the modulus is one factor of the
 * product itself, once, as for a key that is certified again. For 2048 bits against the product of 1,000 others about 3 ms.
 */
export function commonFactor(modulus: Uint8Array, product: bigint, included = false): bigint | undefined {
  const n = numberOf(modulus)
  if (n < 2n) return undefined
  const factor = greatestCommonDivisor(n, included ? (product % (n * n)) / n : product % n)
  return factor === 1n ? undefined : factor
}

/** The finding for a key whose modulus shares a factor with another one's. */
export const sharedFactorFinding: KeyFinding = {
  code: 'rsaSharedFactor', severity: 'error', message: 'The RSA key shares a prime with another key: anyone who knows both can compute the private keys.',
}

export interface SharedFactor {
  /** of the modulus in the list */
  index: number
  factor: bigint
}

/** All moduli that share a factor with another one of the list; the same modulus twice shares itself. */
export function findSharedFactors(moduli: readonly Uint8Array[]): SharedFactor[] {
  const numbers = moduli.map(numberOf)
  const tree = treeOf(numbers)
  // Down the tree: the whole product modulo the square of each node leaves, at a leaf, n times the product of the others modulo n squared.
  let remainders = tree.at(-1) ?? []
  for (let level = tree.length - 2; level >= 0; level -= 1) {
    const above = remainders
    remainders = (tree[level] ?? []).map((node, index) => (above[index >> 1] ?? 1n) % (node * node))
  }
  return numbers.flatMap((n, index) => {
    const factor = n < 2n ? 1n : greatestCommonDivisor(n, (remainders[index] ?? 0n) / n)
    return factor === 1n ? [] : [{ index, factor }]
  })
}

/** The numbers, their products by twos, and so on up to the product of all. */
function treeOf(numbers: readonly bigint[]): bigint[][] {
  const tree = [[...numbers]]
  for (let level = tree[0] ?? []; level.length > 1; ) {
    const next: bigint[] = []
    for (let index = 0; index < level.length; index += 2) next.push((level[index] ?? 1n) * (level[index + 1] ?? 1n))
    tree.push(next)
    level = next
  }
  return tree
}
