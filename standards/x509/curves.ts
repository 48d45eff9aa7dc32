import type { Oid } from '../der/values.ts'
// The prime curves y^2 = x^3 + ax + b (mod p) that certificates name, and the check that a point lies on its curve:
// a public key off the curve can leak the other party's private key (invalid-curve attack).
import { OIDS } from './oids.ts'

export type CurveName = 'P-224' | 'P-256' | 'P-384' | 'P-521' | 'secp256k1' | 'brainpoolP256r1' | 'brainpoolP384r1' | 'brainpoolP512r1'

interface Curve {
  bits: number
  p: bigint
  a: bigint
  b: bigint
  /** the order of the group: private keys and the numbers of a signature are below it */
  order: bigint
}

const hex = (digits: string): bigint => BigInt(`0x${digits.replaceAll(' ', '')}`)
const nist = (bits: number, p: bigint, b: string, order: string): Curve => ({ bits, p, a: p - 3n, b: hex(b), order: hex(order) })

// FIPS 186-5 / SP 800-186, SEC 2 and RFC 5639.
export const CURVES: { readonly [name in CurveName]: Curve } = {
  'P-224': nist(
    224,
    (1n << 224n) - (1n << 96n) + 1n,
    'b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4',
    'ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d',
  ),
  'P-256': nist(
    256,
    (1n << 256n) - (1n << 224n) + (1n << 192n) + (1n << 96n) - 1n,
    '5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b',
    'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
  ),
  'P-384': nist(
    384,
    (1n << 384n) - (1n << 128n) - (1n << 96n) + (1n << 32n) - 1n,
    'b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef',
    'ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973',
  ),
  'P-521': nist(
    521,
    (1n << 521n) - 1n,
    '0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00',
    '1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409',
  ),
  secp256k1: {
    bits: 256,
    p: (1n << 256n) - (1n << 32n) - 977n,
    a: 0n,
    b: 7n,
    order: hex('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'),
  },
  brainpoolP256r1: {
    bits: 256,
    p: hex('a9fb57dba1eea9bc3e660a909d838d726e3bf623d52620282013481d1f6e5377'),
    a: hex('7d5a0975fc2c3057eef67530417affe7fb8055c126dc5c6ce94a4b44f330b5d9'),
    b: hex('26dc5c6ce94a4b44f330b5d9bbd77cbf958416295cf7e1ce6bccdc18ff8c07b6'),
    order: hex('a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7'),
  },
  brainpoolP384r1: {
    bits: 384,
    p: hex('8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b412b1da197fb71123acd3a729901d1a71874700133107ec53'),
    a: hex('7bc382c63d8c150c3c72080ace05afa0c2bea28e4fb22787139165efba91f90f8aa5814a503ad4eb04a8c7dd22ce2826'),
    b: hex('04a8c7dd22ce28268b39b55416f0447c2fb77de107dcd2a62e880ea53eeb62d57cb4390295dbc9943ab78696fa504c11'),
    order: hex('8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b31f166e6cac0425a7cf3ab6af6b7fc3103b883202e9046565'),
  },
  brainpoolP512r1: {
    bits: 512,
    p: hex(
      'aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca703308717d4d9b009bc66842aecda12ae6a380e62881ff2f2d82c68528aa6056583a48f3',
    ),
    a: hex(
      '7830a3318b603b89e2327145ac234cc594cbdd8d3df91610a83441caea9863bc2ded5d5aa8253aa10a2ef1c98b9ac8b57f1117a72bf2c7b9e7c1ac4d77fc94ca',
    ),
    b: hex(
      '3df91610a83441caea9863bc2ded5d5aa8253aa10a2ef1c98b9ac8b57f1117a72bf2c7b9e7c1ac4d77fc94cadc083e67984050b75ebae5dd2809bd638016f723',
    ),
    order: hex(
      'aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330870553e5c414ca92619418661197fac10471db1d381085ddaddb58796829ca90069',
    ),
  },
}

const NAME_OF = new Map<Oid, CurveName>((Object.keys(CURVES) as CurveName[]).map((name) => [OIDS[name], name]))

export function curveName(oid: Oid): CurveName | undefined {
  return NAME_OF.get(oid)
}

/** The fault of an encoded point (SEC 1 2.3.4) as a sentence; undefined for a point on the curve. */
export function pointFault(name: CurveName, point: Uint8Array): string | undefined {
  const { bits, p, a, b } = CURVES[name]
  const size = Math.ceil(bits / 8)
  const form = point[0]
  const compressed = form === 2 || form === 3
  if (form !== 4 && !compressed) return 'The point is neither compressed nor uncompressed'
  if (point.length !== 1 + (compressed ? size : 2 * size)) return `The point has ${point.length} bytes, which does not fit ${name}`
  const x = hex(Buffer.from(point.subarray(1, 1 + size)).toString('hex'))
  if (x >= p) return 'The x coordinate is not below the prime of the curve'
  const right = (x * x * x + a * x + b) % p
  if (compressed) return isSquare(right, p) ? undefined : `The point is not on ${name}`
  const y = hex(Buffer.from(point.subarray(1 + size)).toString('hex'))
  if (y >= p) return 'The y coordinate is not below the prime of the curve'
  return (y * y) % p === right ? undefined : `The point is not on ${name}`
}

/** For a prime modulus whether a square root exists; zero has one. */
const isSquare = (value: bigint, prime: bigint): boolean => jacobi(value, prime) !== -1

/** The Jacobi symbol (value / modulus) of an odd modulus: for a prime 1 where a square root exists, -1 where none does, 0 for its multiples. */
export function jacobi(value: bigint, modulus: bigint): -1 | 0 | 1 {
  let a = ((value % modulus) + modulus) % modulus
  let n = modulus
  let sign: -1 | 1 = 1
  while (a !== 0n) {
    while ((a & 1n) === 0n) {
      a >>= 1n
      const rest = n & 7n
      if (rest === 3n || rest === 5n) sign = sign === 1 ? -1 : 1
    }
    ;[a, n] = [n, a]
    if ((a & 3n) === 3n && (n & 3n) === 3n) sign = sign === 1 ? -1 : 1
    a %= n
  }
  return n === 1n ? sign : 0
}
