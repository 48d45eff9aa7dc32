// Public keys on the curves of RFC 7748 and RFC 8032. Every string of bytes of the right length goes for one with most programs; here it
// must be the one encoding of a point on the curve, and not one of the few points by which every signature verifies or every agreement
// gives a known secret.
import { jacobi } from './curves.ts'

export interface Fault {
  code: 'keyInvalid' | 'keySmallOrder' | 'keyNotCanonical'
  /** continues `The Ed25519 key` */
  says: string
}

const P25519 = (1n << 255n) - 19n
const P448 = (1n << 448n) - (1n << 224n) - 1n

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
}

const smallOrder: Fault = { code: 'keySmallOrder', says: 'is a point of small order' }
const notCanonical: Fault = { code: 'keyNotCanonical', says: 'is not in its one canonical encoding' }

// x^2 = numerator / denominator, from a*x^2 + y^2 = 1 + d*x^2*y^2: -x^2 + y^2 = ... for Ed25519, x^2 + y^2 = ... for Ed448 (RFC 8032 5.1.3, 5.2.3).
const CURVE = {
  Ed25519: {
    p: P25519,
    yBits: 255n,
    numerator: (ySquare: bigint) => ySquare - 1n,
    denominator: (ySquare: bigint) => D25519 * ySquare + 1n,
  },
  Ed448: { p: P448, yBits: 455n, numerator: (ySquare: bigint) => 1n - ySquare, denominator: (ySquare: bigint) => 1n + 39_081n * ySquare },
} as const
const D25519 = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n
/** The y coordinate of the points of order 8 on Ed25519; its negative is the other one. */
const ORDER_8 = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n

/** The fault of an Ed25519 key of 32 bytes or an Ed448 key of 57 bytes; undefined for a good one. */
export function edwardsFault(name: keyof typeof CURVE, key: Uint8Array): Fault | undefined {
  const { p, yBits, numerator, denominator } = CURVE[name]
  const encoded = littleEndian(key)
  const sign = encoded >> yBits
  const y = encoded & ((1n << yBits) - 1n)
  const reduced = y % p
  if (reduced <= 1n || reduced === p - 1n || (name === 'Ed25519' && (reduced === ORDER_8 || reduced === p - ORDER_8))) return smallOrder
  if (y >= p || sign > 1n) return notCanonical
  const ySquare = (y * y) % p
  // u/v is a square exactly where u*v is one: no division is needed.
  return jacobi(numerator(ySquare) * denominator(ySquare), p) === 1
    ? undefined
    : { code: 'keyInvalid', says: 'is not a point on its curve' }
}

/** The u coordinates of the points of order 8 on Curve25519 and its twist. */
const LOW_ORDER_U = [
  325606250916557431795983626356110631294008115727848805560023387167927233504n,
  39382357235489614581723060781553021112529911719440698176882885853963445705823n,
]

/** The fault of an X25519 key of 32 bytes or an X448 key of 56 bytes. RFC 7748 6: with these every agreement gives zero. */
export function montgomeryFault(name: 'X25519' | 'X448', key: Uint8Array): Fault | undefined {
  const p = name === 'X25519' ? P25519 : P448
  const encoded = littleEndian(key)
  // RFC 7748 5: the highest bit of X25519 is passed over.
  const u = name === 'X25519' ? encoded & ((1n << 255n) - 1n) : encoded
  const reduced = u % p
  if (reduced <= 1n || reduced === p - 1n || (name === 'X25519' && LOW_ORDER_U.includes(reduced))) return smallOrder
  return u === encoded && u < p ? undefined : notCanonical
}
