import { ECDH, createPrivateKey, createPublicKey, generateKeyPairSync, generatePrimeSync, getDiffieHellman } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hexOf } from '../der/values.ts'
import { bitString, integer, nullValue, oid, sequence } from '../der/writer.ts'
import { CURVES, pointFault, type CurveName } from './curves.ts'
import { checkPublicKey, checkRequestedKey } from './key-checks.ts'
import { OIDS } from './oids.ts'
import { describeKey, ecPublicKey, keyIdentifier, keyIdentifierSha1, parsePublicKey, rsaPublicKey } from './public-key.ts'
import { RAW_KEYS, RAW_KEY_NAMES, nodeKeyType, type RawKeyAlgorithm } from './raw-keys.ts'

const bytesOf = (number: bigint): Uint8Array => {
  const hex = number.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}
const rsa = (modulus: bigint, exponent = 65_537n) => parsePublicKey(rsaPublicKey(bytesOf(modulus), exponent))
const codes = (key: ReturnType<typeof parsePublicKey>): string[] => checkPublicKey(key).map(({ code }) => code)
const prime = (bits: number): bigint => generatePrimeSync(bits, { bigint: true })
const good = parsePublicKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' }))
const modulus = BigInt(`0x${Buffer.from(good.modulus ?? []).toString('hex')}`)

function power(base: bigint, exponent: bigint, modulo: bigint): bigint {
  let result = 1n
  for (let [square, rest] = [base % modulo, exponent]; rest > 0n; rest >>= 1n, square = (square * square) % modulo) {
    if ((rest & 1n) === 1n) result = (result * square) % modulo
  }
  return result
}

/** A prime as Infineon's library made them: k * M + (65537^a mod M), M the product of the first 71 primes. */
function rocaPrime(seed: bigint): bigint {
  const primes: bigint[] = []
  for (let number = 2n; primes.length < 71; number += 1n) if (primes.every((each) => number % each !== 0n)) primes.push(number)
  const product = primes.reduce((left, right) => left * right, 1n)
  const remainder = power(65_537n, seed, product)
  for (let k = (1n << 1023n) / product + (seed << 20n); ; k += 1n) {
    const candidate = k * product + remainder
    if (power(2n, candidate - 1n, candidate) === 1n) return candidate
  }
}

describe('RSA keys', () => {
  test('a fresh key has nothing wrong', () => {
    expect(checkPublicKey(good)).toEqual([])
    expect(good).toMatchObject({ algorithm: 'RSA', bits: 2048, exponent: 65_537n })
  })

  test('the ROCA flaw is found', () => {
    expect(codes(rsa(rocaPrime(12_345n) * rocaPrime(67_890n)))).toContain('rsaRoca')
  })

  test('primes that lie close together are found', () => {
    const p = prime(1024)
    let q = p + 2n
    while (power(2n, q - 1n, q) !== 1n) q += 2n
    expect(codes(rsa(p * q))).toEqual(['rsaClosePrimes'])
    expect(codes(rsa(p * p))).toEqual(['rsaModulusSquare'])
  })

  test.each([
    ['1024 bits', () => rsa(prime(512) * prime(512)), ['rsaTooShort']],
    ['an even modulus', () => rsa(modulus - 1n), ['rsaModulusEven']],
    ['a small factor', () => rsa(prime(2040) * 751n), ['rsaSmallFactor']],
    ['exponent 1', () => rsa(modulus, 1n), ['rsaExponentSmall']],
    ['exponent 3', () => rsa(modulus, 3n), ['rsaExponentSmall']],
    ['an even exponent', () => rsa(modulus, 65_538n), ['rsaExponentEven']],
    ['an exponent beyond 256 bits', () => rsa(modulus, (1n << 256n) + 1n), ['rsaExponentLarge']],
    ['16384 bits', () => rsa((1n << 16_383n) + 1n), ['rsaTooLong']],
  ])('%s is found', (_, make, expected) => {
    expect(codes(make())).toEqual(expected)
  })

  test('a prime modulus is found where a key is to be certified', () => {
    const key = rsa(prime(2048))
    expect(codes(key)).toEqual([])
    expect(checkRequestedKey(key).map(({ code }) => code)).toEqual(['rsaModulusPrime'])
    expect(checkRequestedKey(good)).toEqual([])
    expect(checkRequestedKey(rsa(modulus, 1n)).map(({ code }) => code)).toEqual(['rsaExponentSmall'])
  })

  test('refuses a long exponent where nothing could verify its signatures, and says that it is the exponent', () => {
    const [modp14, modp15] = ['modp14', 'modp15'].map((name) => BigInt(`0x${getDiffieHellman(name).getPrime('hex')}`))
    const large = (modp14 ?? 0n) * (modp15 ?? 0n)
    const long = (1n << 254n) + 1n
    for (const n of [modulus, large]) {
      expect(checkRequestedKey(rsa(n, (1n << 63n) + 1n))).toEqual([])
      for (const exponent of [(1n << 64n) + 1n, long])
        expect(checkRequestedKey(rsa(n, exponent))).toMatchObject([
          { code: 'rsaExponentLarge', severity: 'error', message: expect.stringContaining('64 bits') },
        ])
    }
  })

  test.each<[string, Uint8Array, string]>([
    [
      'a negative modulus',
      sequence(integer(-5), integer(3)),
      'subjectPublicKeyInfo.subjectPublicKey.modulus: The INTEGER must not be negative',
    ],
    ['modulus zero', sequence(integer(0), integer(3)), 'The modulus must be positive'],
    ['exponent zero', sequence(integer(5), integer(0)), 'publicExponent: The public exponent must be positive'],
    ['a third number', sequence(integer(5), integer(3), integer(1)), 'Unexpected INTEGER'],
  ])('%s is refused when read', (_, key, message) => {
    expect(() => parsePublicKey(sequence(sequence(oid(OIDS.rsaEncryption), nullValue()), bitString(key)))).toThrow(message)
  })

  test('parameters other than NULL are refused', () => {
    expect(() => parsePublicKey(sequence(sequence(oid(OIDS.rsaEncryption)), bitString(sequence(integer(5), integer(3)))))).toThrow(
      'must be NULL',
    )
  })
})

const NODE_CURVES: { [name in CurveName]: string } = {
  'P-224': 'secp224r1',
  'P-256': 'prime256v1',
  'P-384': 'secp384r1',
  'P-521': 'secp521r1',
  secp256k1: 'secp256k1',
  brainpoolP256r1: 'brainpoolP256r1',
  brainpoolP384r1: 'brainpoolP384r1',
  brainpoolP512r1: 'brainpoolP512r1',
}

describe.each(Object.entries(NODE_CURVES) as [CurveName, string][])('the curve %s', (name, nodeName) => {
  const key = parsePublicKey(generateKeyPairSync('ec', { namedCurve: nodeName }).publicKey.export({ type: 'spki', format: 'der' }))
  const point = key.point ?? new Uint8Array()

  test('its points are on it, plain and compressed', () => {
    expect(key).toMatchObject({ algorithm: 'EC', curve: name, bits: CURVES[name].bits })
    expect(pointFault(name, point)).toBeUndefined()
    const compressed = ECDH.convertKey(Buffer.from(point), nodeName, undefined, undefined, 'compressed')
    if (typeof compressed === 'string') throw new Error('bytes were asked for')
    expect(pointFault(name, compressed)).toBeUndefined()
    expect(parsePublicKey(ecPublicKey(name, compressed)).bits).toBe(CURVES[name].bits)
    expect(codes(parsePublicKey(ecPublicKey(name, compressed)))).toEqual([CURVES[name].bits < 256 ? 'curveWeak' : 'pointCompressed'])
  })

  test('a point beside it, beyond its field, or of another size is found', () => {
    const beside = point.slice()
    beside[beside.length - 1] = (beside.at(-1) ?? 0) ^ 1
    expect(pointFault(name, beside)).toBe(`The point is not on ${name}`)
    expect(checkPublicKey(parsePublicKey(ecPublicKey(name, beside)))).toMatchObject([{ code: 'pointInvalid' }])
    const beyond = point.slice().fill(0xff, 1)
    expect(pointFault(name, beyond)).toContain('not below the prime')
    expect(() => parsePublicKey(ecPublicKey(name, point.subarray(0, -1)))).toThrow('does not fit')
    expect(() => parsePublicKey(ecPublicKey(name, Uint8Array.of(0)))).toThrow('the point at infinity')
    const hybrid = point.slice()
    hybrid[0] = 6 + ((point.at(-1) ?? 0) & 1)
    expect(() => parsePublicKey(ecPublicKey(name, hybrid))).toThrow('hybrid form')
    expect(() => parsePublicKey(ecPublicKey(name, Uint8Array.of(5, ...point.subarray(1))))).toThrow('compressed or uncompressed')
  })
})

test('half of all x coordinates have no point', () => {
  const x = new Uint8Array(33)
  x[0] = 2
  const faults = Array.from({ length: 60 }, (_, number) => {
    x[32] = number + 1
    return pointFault('P-256', x)
  })
  const without = faults.filter((fault) => fault !== undefined).length
  expect(without).toBeGreaterThan(10)
  expect(without).toBeLessThan(50)
})

describe('other keys', () => {
  test('weak and unknown curves, small-order points and unknown algorithms are found', () => {
    expect(
      codes(parsePublicKey(generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).publicKey.export({ type: 'spki', format: 'der' }))),
    ).toEqual(['curveWeak'])
    const spki = (algorithm: Uint8Array, key: Uint8Array) => parsePublicKey(sequence(algorithm, bitString(key)))
    expect(codes(spki(sequence(oid(OIDS.ecPublicKey), oid('1.2.3')), Uint8Array.of(4, 1, 1)))).toEqual(['curveUnknown'])
    expect(codes(spki(sequence(oid(OIDS.ecPublicKey), oid(OIDS['P-192'])), new Uint8Array(49).fill(4)))).toEqual(['curveWeak'])
    expect(codes(spki(sequence(oid(OIDS['ML-KEM-512'])), new Uint8Array(800).fill(255)))).toEqual(['keyInvalid'])
    expect(codes(spki(sequence(oid('1.2.3')), new Uint8Array(3)))).toEqual(['algorithmUnknown'])
    expect(() => spki(sequence(oid(OIDS.Ed25519)), new Uint8Array(31))).toThrow('has 32 bytes, not 31')
    expect(() => spki(sequence(oid(OIDS.Ed25519), nullValue()), new Uint8Array(32))).toThrow('must be absent')
    expect(() => spki(sequence(oid(OIDS.ecPublicKey), sequence()), new Uint8Array(65))).toThrow('explicit parameters are refused')
  })

  // The encodings of RFC 8032 and RFC 7748, little-endian; those of small order as libsodium lists them.
  const ED25519_8 = '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'
  test.each<[RawKeyAlgorithm, string, string, string]>([
    ['Ed25519', 'the neutral point', `01${'00'.repeat(31)}`, 'keySmallOrder'],
    ['Ed25519', 'a point of order 2', `ec${'ff'.repeat(30)}7f`, 'keySmallOrder'],
    ['Ed25519', 'a point of order 4', '00'.repeat(32), 'keySmallOrder'],
    ['Ed25519', 'a point of order 8', ED25519_8, 'keySmallOrder'],
    ['Ed25519', 'the other point of order 8', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa', 'keySmallOrder'],
    ['Ed25519', 'a point of small order written above the prime', `ee${'ff'.repeat(30)}7f`, 'keySmallOrder'],
    ['Ed25519', 'y = 3 written above the prime', `f0${'ff'.repeat(30)}7f`, 'keyNotCanonical'],
    ['Ed25519', 'a y without a point', `02${'00'.repeat(31)}`, 'keyInvalid'],
    ['Ed448', 'the neutral point', `01${'00'.repeat(56)}`, 'keySmallOrder'],
    ['Ed448', 'a point of order 4', '00'.repeat(57), 'keySmallOrder'],
    ['Ed448', 'bits above the prime', `05${'00'.repeat(55)}01`, 'keyNotCanonical'],
    ['Ed448', 'a y without a point', `02${'00'.repeat(56)}`, 'keyInvalid'],
    ['X25519', 'zero', '00'.repeat(32), 'keySmallOrder'],
    ['X25519', 'a point of order 8', 'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800', 'keySmallOrder'],
    ['X25519', 'the other point of order 8', '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157', 'keySmallOrder'],
    ['X25519', 'u = 9 with the highest bit', `09${'00'.repeat(30)}80`, 'keyNotCanonical'],
    ['X448', 'one', `01${'00'.repeat(55)}`, 'keySmallOrder'],
    ['X448', 'all ones', 'ff'.repeat(56), 'keyNotCanonical'],
  ])('%s: %s is found', (name, _, key, code) => {
    expect(codes(parsePublicKey(sequence(sequence(oid(OIDS[name])), bitString(Buffer.from(key, 'hex')))))).toEqual([code])
  })

  test('an RSASSA-PSS key is restricted by what we sign with, or by nothing', () => {
    const spkiOf = (options: object) =>
      generateKeyPairSync('rsa-pss', { modulusLength: 2048, ...options }).publicKey.export({ type: 'spki', format: 'der' })
    expect(parsePublicKey(spkiOf({})).algorithm).toBe('RSASSA-PSS')
    expect(parsePublicKey(spkiOf({ hashAlgorithm: 'sha384', mgf1HashAlgorithm: 'sha384', saltLength: 48 })).algorithm).toBe('RSASSA-PSS')
    expect(() => parsePublicKey(spkiOf({ hashAlgorithm: 'sha1', mgf1HashAlgorithm: 'sha1', saltLength: 20 }))).toThrow(
      'must be one of SHA-256',
    )
  })

  test('every kind is called by its name', () => {
    for (const name of RAW_KEY_NAMES) {
      // The overloads of generateKeyPairSync take one literal each.
      const { publicKey } = generateKeyPairSync(nodeKeyType(name) as 'ed25519')
      const key = parsePublicKey(publicKey.export({ type: 'spki', format: 'der' }))
      expect([describeKey(key), key.algorithmOid, key.keyBytes.length]).toEqual([name, OIDS[name], RAW_KEYS[name].bytes])
      expect(checkPublicKey(key)).toEqual([])
    }
    expect(describeKey(good)).toBe('RSA 2048')
  })

  test('the identifiers of a key are the hashes of its BIT STRING', () => {
    // The key of RFC 8410 10.1, and its SHA-1 and SHA-256.
    const key = parsePublicKey(
      createPublicKey(
        createPrivateKey(
          '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----',
        ),
      ).export({ type: 'spki', format: 'der' }),
    )
    expect(hexOf(key.keyBytes)).toBe('19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1')
    expect(hexOf(keyIdentifierSha1(key))).toBe('a28cc1f86e5960d3e03ae75c962c97a8d448293c')
    expect(hexOf(keyIdentifier(key))).toBe('e744c0791320c3285460eddb523f14c88d857ada')
    expect(hexOf(keyIdentifier(key.spki))).toBe('e744c0791320c3285460eddb523f14c88d857ada')
  })
})
