// Requests for keys that nobody should certify. What stands at the end of the request is a signature by a good key: the key itself is judged first.

import { createPrivateKey, createPublicKey, generateKeyPairSync, generatePrimeSync, getDiffieHellman, type KeyObject } from 'node:crypto'
import { bitString, implicitConstructed, integer, nullValue, oid, sequence } from '#standards/der/writer.ts'
import { OIDS } from '#standards/x509/oids.ts'
import { ecPublicKey, parsePublicKey, rsaPublicKey } from '#standards/x509/public-key.ts'
import type { RequestCase } from './case.ts'
import { ec, host, pemOf, request, rsa, signed, subjectOf, type Pair } from './make.ts'

const withKey = (spki: Uint8Array): Uint8Array => signed(sequence(integer(0), subjectOf(['CN', host]), spki, implicitConstructed(0)))
const number = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const bytesOf = (value: bigint): Buffer =>
  Buffer.from(value.toString(16).padStart(Math.ceil(value.toString(16).length / 2) * 2, '0'), 'hex')
const modulus = number(parsePublicKey(rsa.spki).modulus ?? new Uint8Array())
const prime = (bits: number): bigint => generatePrimeSync(bits, { bigint: true })
const rsaKey = (n: bigint, e: bigint | number = 65_537) => withKey(rsaPublicKey(bytesOf(n), e))
const ecKey = (parameters: Uint8Array, point: Uint8Array) =>
  withKey(sequence(sequence(oid(OIDS.ecPublicKey), parameters), bitString(point)))
const rawKey = (id: string, key: Uint8Array) => withKey(sequence(sequence(oid(id)), bitString(key)))
const point = Buffer.from(parsePublicKey(ec.spki).point ?? new Uint8Array())
const last = point.at(-1) ?? 0
const spkiOf = (key: KeyObject): Uint8Array => key.export({ type: 'spki', format: 'der' })
const ownRequest = (type: 'rsa', bits: number): Uint8Array => {
  const { publicKey, privateKey } = generateKeyPairSync(type, { modulusLength: bits })
  return request({ by: { publicKey, privateKey, spki: spkiOf(publicKey), by: 'sha256WithRSAEncryption' } })
}

/** Two primes that differ in their last bytes only. */
function closePrimes(): bigint {
  const p = prime(1024)
  let q = p + 2n
  while (!isProbablePrime(q)) q += 2n
  return p * q
}
function isProbablePrime(candidate: bigint): boolean {
  if ([3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n].some((small) => candidate % small === 0n)) return false
  let [result, base, exponent] = [1n, 2n, candidate - 1n]
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % candidate
    base = (base * base) % candidate
  }
  return result === 1n
}

/** A modulus that passes ROCA's fingerprint: a power of 65537 modulo each of the small primes (CVE-2017-15361). */
function rocaModulus(): bigint {
  const small = [
    3n,
    5n,
    7n,
    11n,
    13n,
    17n,
    19n,
    23n,
    29n,
    31n,
    37n,
    41n,
    43n,
    47n,
    53n,
    59n,
    61n,
    67n,
    71n,
    73n,
    79n,
    83n,
    89n,
    97n,
    101n,
    103n,
    107n,
    109n,
    113n,
    127n,
    131n,
    137n,
    139n,
    149n,
    151n,
    157n,
    163n,
    167n,
  ]
  const product = small.reduce((all, one) => all * one)
  const residue = 65_537n ** 5n % product
  const wanted = (1n << 2047n) + (1n << 2000n)
  let candidate = wanted - (wanted % product) + residue
  // Odd, and with no factor that a simpler check would name.
  const primes = Array.from({ length: 752 }, (_, at) => BigInt(at)).filter((one) => one > 2n && isPrime(one))
  while (candidate % 2n === 0n || primes.some((one) => candidate % one === 0n)) candidate += product
  return candidate
}
const isPrime = (one: bigint): boolean =>
  Array.from({ length: 27 }, (_, at) => BigInt(at) + 2n).every((divisor) => divisor >= one || one % divisor !== 0n)

const table: readonly [name: string, make: () => Uint8Array, reason: RegExp][] = [
  ['RSA of 512 bits', () => rsaKey(prime(256) * prime(256)), /at least 2048/],
  ['RSA of 1024 bits', () => ownRequest('rsa', 1024), /at least 2048/],
  ['RSA of 2040 bits', () => rsaKey(prime(512) * prime(512) * prime(508) * prime(508)), /at least 2048/],
  ['RSA of 16384 bits', () => rsaKey((1n << 16_383n) + 1n), /at most 8192/],
  ['RSA with exponent 1', () => rsaKey(modulus, 1), /exponent is 1/],
  ['RSA with exponent 3', () => rsaKey(modulus, 3), /exponent is 3/],
  ['RSA with exponent 2', () => rsaKey(modulus, 2), /exponent is even/],
  ['RSA with exponent 65536', () => rsaKey(modulus, 65_536), /exponent is even/],
  ['RSA with exponent 0', () => rsaKey(modulus, 0), /exponent must be positive/],
  [
    'RSA with a negative exponent',
    () => withKey(sequence(sequence(oid(OIDS.rsaEncryption), nullValue()), bitString(sequence(integer(modulus), integer(-3))))),
    /exponent must be positive/,
  ],
  ['RSA with an exponent beyond 256 bits', () => rsaKey(modulus, (1n << 300n) + 1n), /more than 256 bits/],
  [
    'RSA with a negative modulus',
    () => withKey(sequence(sequence(oid(OIDS.rsaEncryption), nullValue()), bitString(sequence(integer(-modulus), integer(65_537))))),
    /negative|positive/,
  ],
  [
    'RSA with the modulus 0',
    () => withKey(sequence(sequence(oid(OIDS.rsaEncryption), nullValue()), bitString(sequence(integer(0), integer(65_537))))),
    /positive/,
  ],
  ['RSA with an even modulus', () => rsaKey(modulus - 1n), /modulus is even/],
  ['RSA with a prime modulus', () => rsaKey(number(getDiffieHellman('modp14').getPrime())), /modulus is a prime/],
  ['RSA with a prime modulus of 4096 bits', () => rsaKey(number(getDiffieHellman('modp16').getPrime())), /modulus is a prime/],
  ['RSA with a square modulus', () => rsaKey(prime(1024) ** 2n), /square of one number/],
  ['RSA with a small factor', () => rsaKey(prime(1024) * prime(1008) * 751n), /factor below 752/],
  ['RSA with close primes', () => rsaKey(closePrimes()), /close/],
  ['RSA with the ROCA flaw', () => rsaKey(rocaModulus()), /ROCA/],
  [
    'RSA with parameters other than NULL',
    () => withKey(sequence(sequence(oid(OIDS.rsaEncryption), integer(1)), bitString(sequence(integer(modulus), integer(65_537))))),
    /parameters/,
  ],
  [
    'RSA with three numbers',
    () =>
      withKey(sequence(sequence(oid(OIDS.rsaEncryption), nullValue()), bitString(sequence(integer(modulus), integer(65_537), integer(1))))),
    /after the last field/,
  ],
  [
    'DSA',
    () => withKey(sequence(sequence(oid(OIDS.dsa), sequence(integer(7), integer(5), integer(3))), bitString(integer(5)))),
    /key algorithm|not known/,
  ],
  ['EC with explicit parameters', () => ecKey(sequence(integer(1)), point), /explicit parameters are refused/],
  ['EC with the parameters NULL', () => ecKey(nullValue(), point), /parameters|curve/],
  ['EC without parameters', () => withKey(sequence(sequence(oid(OIDS.ecPublicKey)), bitString(point))), /parameters|curve|missing/],
  ['EC on an unknown curve', () => ecKey(oid('1.2.3'), point), /curve 1\.2\.3 is not known/],
  ['EC on P-192', () => ecKey(oid(OIDS['P-192']), Buffer.alloc(49, 4)), /P-192 has less than 256 bits/],
  ['EC on P-224', () => request({ by: ecPair('secp224r1') }), /P-224 has less than 256 bits/],
  ['EC off the curve', () => ecKey(oid(OIDS['P-256']), Buffer.concat([point.subarray(0, -1), Buffer.of(last ^ 1)])), /not on P-256/],
  [
    'EC with a coordinate beyond the field',
    () => ecKey(oid(OIDS['P-256']), Buffer.concat([Buffer.of(4), Buffer.alloc(64, 0xff)])),
    /field|not on P-256|coordinate/,
  ],
  ['EC at infinity', () => ecKey(oid(OIDS['P-256']), Buffer.of(0)), /point at infinity/],
  ['EC of zeros', () => ecKey(oid(OIDS['P-256']), Buffer.concat([Buffer.of(4), Buffer.alloc(64)])), /not on P-256/],
  ['EC of another curve', () => ecKey(oid(OIDS['P-384']), point), /does not fit P-384/],
  ['EC hybrid', () => ecKey(oid(OIDS['P-256']), Buffer.concat([Buffer.of(6 + (last & 1)), point.subarray(1)])), /hybrid form/],
  [
    'EC compressed',
    () => withKey(ecPublicKey('P-256', Buffer.concat([Buffer.of(2 + (last & 1)), point.subarray(1, 33)]))),
    /compressed point/,
  ],
  ['EC without a point', () => ecKey(oid(OIDS['P-256']), Buffer.alloc(0)), /point/],
  ['Ed25519 of low order: zero', () => rawKey(OIDS.Ed25519, Buffer.alloc(32)), /small order/],
  ['Ed25519 of low order: one', () => rawKey(OIDS.Ed25519, Buffer.concat([Buffer.of(1), Buffer.alloc(31)])), /small order/],
  ['Ed25519 of low order: minus one', () => rawKey(OIDS.Ed25519, Buffer.from(`ec${'ff'.repeat(30)}7f`, 'hex')), /small order/],
  ['Ed25519 above the prime', () => rawKey(OIDS.Ed25519, Buffer.from(`f0${'ff'.repeat(30)}7f`, 'hex')), /canonical encoding/],
  ['Ed25519 of 31 bytes', () => rawKey(OIDS.Ed25519, Buffer.alloc(31)), /has 32 bytes, not 31/],
  [
    'Ed25519 with parameters',
    () => withKey(sequence(sequence(oid(OIDS.Ed25519), nullValue()), bitString(Buffer.alloc(32, 9)))),
    /must be absent/,
  ],
  ['Ed448 of low order', () => rawKey(OIDS.Ed448, Buffer.concat([Buffer.of(1), Buffer.alloc(56)])), /small order/],
  ['X25519 of low order', () => rawKey(OIDS.X25519, Buffer.alloc(32)), /small order|cannot sign/],
  ['X25519, signed by another', () => withKey(spkiOf(generateKeyPairSync('x25519').publicKey)), /cannot sign/],
  ['ML-KEM, signed by another', () => withKey(spkiOf(generateKeyPairSync('ml-kem-768').publicKey)), /cannot sign/],
  [
    'ML-DSA with parameters',
    () => withKey(sequence(sequence(oid(OIDS['ML-DSA-44']), nullValue()), bitString(Buffer.alloc(1312)))),
    /must be absent/,
  ],
  ['ML-DSA too short', () => rawKey(OIDS['ML-DSA-44'], Buffer.alloc(1311)), /has 1312 bytes, not 1311/],
  ['of an unknown kind', () => rawKey('1.2.3', Buffer.alloc(3)), /key algorithm 1\.2\.3 is not known/],
  [
    'a key with unused bits',
    () => withKey(sequence(sequence(oid(OIDS.Ed25519)), bitString(Buffer.alloc(32, 8), 3))),
    /must hold whole bytes/,
  ],
]

function ecPair(namedCurve: string): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve })
  return { publicKey, privateKey, spki: spkiOf(publicKey), by: 'ecdsa-with-SHA256' }
}

export const keyCases: readonly RequestCase[] = table.map(([name, make, reason]) => ({
  class: 'keys',
  name,
  make: () => pemOf(make()),
  expects: 'refused',
  reason,
}))

/** Two RSA keys of three primes, with which anybody who sees both computes both private keys. */
export function sharingPair(): [Pair, Pair] {
  const [p, q, r] = [prime(1024), prime(1024), prime(1024)]
  return [rsaPairOf(p, q), rsaPairOf(p, r)]
}

function rsaPairOf(p: bigint, q: bigint): Pair {
  const e = 65_537n
  const d = inverse(e, (p - 1n) * (q - 1n))
  const text = (value: bigint) => bytesOf(value).toString('base64url')
  const privateKey = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'RSA',
      n: text(p * q),
      e: text(e),
      d: text(d),
      p: text(p),
      q: text(q),
      dp: text(d % (p - 1n)),
      dq: text(d % (q - 1n)),
      qi: text(inverse(q, p)),
    },
  })
  const publicKey = createPublicKey(privateKey)
  return { publicKey, privateKey, spki: spkiOf(publicKey), by: 'sha256WithRSAEncryption' }
}

function inverse(value: bigint, modulo: bigint): bigint {
  let [a, b, x, y] = [value % modulo, modulo, 1n, 0n]
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y]
  return ((x % modulo) + modulo) % modulo
}
