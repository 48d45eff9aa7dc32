import { createPrivateKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readDer } from '../der/reader.ts'
import { integer, nullValue, oid, sequence } from '../der/writer.ts'
import {
  SIGNATURE_ALGORITHMS,
  checkSignature,
  defaultSignatureAlgorithm,
  encodeAlgorithmIdentifier,
  keyFitsAlgorithm,
  parseAlgorithmIdentifier,
  signInBackground,
  signWith,
  verifySignature,
  type SignatureAlgorithm,
} from './algorithms.ts'
import { CURVES } from './curves.ts'
import { X509Error } from './error.ts'
import { OIDS } from './oids.ts'
import { parsePublicKey } from './public-key.ts'
import { RAW_KEYS, RAW_SIGNING_KEYS, nodeKeyType } from './raw-keys.ts'

const KEYS = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  pss: generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
  p256: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
  p521: generateKeyPairSync('ec', { namedCurve: 'secp521r1' }),
  ed25519: generateKeyPairSync('ed25519'),
  ed448: generateKeyPairSync('ed448'),
  x25519: generateKeyPairSync('x25519'),
  mlDsa65: generateKeyPairSync('ml-dsa-65'),
  mlKem768: generateKeyPairSync('ml-kem-768'),
}
const infoOf = (name: keyof typeof KEYS) => parsePublicKey(KEYS[name].publicKey.export({ type: 'spki', format: 'der' }))

describe('signing', () => {
  const message = Buffer.from('to be signed')
  test.each(SIGNATURE_ALGORITHMS.filter((name) => !/^(SLH-DSA|ML-DSA-[48])/.test(name)))(
    '%s signs with every key that fits, and with no other',
    async (algorithm) => {
      const names = Object.keys(KEYS) as (keyof typeof KEYS)[]
      const fitting = names.filter((name) => keyFitsAlgorithm(infoOf(name), algorithm))
      expect(fitting.length).toBeGreaterThan(0)
      for (const { privateKey, publicKey } of names.filter((name) => !fitting.includes(name)).map((name) => KEYS[name])) {
        expect(() => signWith(algorithm, privateKey, message)).toThrow(X509Error)
        expect(checkSignature(algorithm, publicKey, message, message)).toMatchObject({ ok: false })
      }
      for (const { privateKey, publicKey } of fitting.map((name) => KEYS[name])) {
        for (const signature of [signWith(algorithm, privateKey, message), await signInBackground(algorithm, privateKey, message)]) {
          expect(checkSignature(algorithm, publicKey, message, signature)).toEqual({ ok: true })
          expect(verifySignature(algorithm, publicKey, Buffer.from('another'), signature)).toBe(false)
          expect(verifySignature(algorithm, publicKey, message, signature.subarray(1))).toBe(false)
        }
      }
    },
  )

  test('the default is as strong as the key', () => {
    expect(
      Object.fromEntries(
        (['rsa', 'pss', 'p256', 'p384', 'p521', 'ed25519', 'ed448'] as const).map((name) => [
          name,
          defaultSignatureAlgorithm(infoOf(name)),
        ]),
      ),
    ).toEqual({
      rsa: 'sha256WithRSAEncryption',
      pss: 'rsassaPss-sha256',
      p256: 'ecdsa-with-SHA256',
      p384: 'ecdsa-with-SHA384',
      p521: 'ecdsa-with-SHA512',
      ed25519: 'Ed25519',
      ed448: 'Ed448',
    })
    expect(() => defaultSignatureAlgorithm(infoOf('x25519'))).toThrow('cannot sign')
    expect(() => defaultSignatureAlgorithm(infoOf('mlKem768'))).toThrow('cannot sign')
  })

  // The small ones of SLH-DSA take up to two seconds to sign: they are tried in the keys room, in the background, together.
  test.each(RAW_SIGNING_KEYS.filter((name) => /^ML-DSA|f$/.test(name)))(
    'a key for %s signs by the algorithm of its name, as Node verifies it',
    async (name) => {
      // The overloads of generateKeyPairSync take one literal each.
      const { privateKey, publicKey } = generateKeyPairSync(nodeKeyType(name) as 'ml-dsa-44')
      const info = parsePublicKey(publicKey.export({ type: 'spki', format: 'der' }))
      expect(info).toMatchObject({ algorithm: name, algorithmOid: OIDS[name] })
      expect(defaultSignatureAlgorithm(info)).toBe(name)
      const signature = await signInBackground(name, privateKey, message)
      expect(signature).toHaveLength(RAW_KEYS[name].signatureBytes ?? 0)
      expect(verify(undefined, message, publicKey, signature)).toBe(true)
      expect(checkSignature(name, info.spki, message, signature)).toEqual({ ok: true })
      expect(checkSignature(name, info.spki, Buffer.from('another'), signature)).toMatchObject({ ok: false })
      expect(checkSignature(name, info.spki, message, signature.subarray(1))).toMatchObject({ ok: false })
      expect(() => signWith('Ed25519', privateKey, message)).toThrow(X509Error)
    },
  )

  test('SHA-1 and MD5 are refused even where the signature is right', () => {
    const { publicKey } = KEYS.rsa
    expect(checkSignature('sha1WithRSAEncryption', publicKey, message, message)).toEqual({
      ok: false,
      reason: 'The signature algorithm sha1WithRSAEncryption is too weak.',
    })
    expect(verifySignature('md5WithRSAEncryption', publicKey, message, message)).toBe(false)
    expect(checkSignature('1.2.3', publicKey, message, message)).toEqual({
      ok: false,
      reason: 'The signature algorithm 1.2.3 is not supported.',
    })
    expect(checkSignature('Ed25519', Buffer.from('no key'), message, message)).toEqual({
      ok: false,
      reason: 'The public key cannot be used.',
    })
  })

  test('why a signature cannot be one is said', () => {
    const reasonOf = (algorithm: SignatureAlgorithm, key: KeyObject, signature: Uint8Array): string => {
      const checked = checkSignature(algorithm, key, message, signature)
      return checked.ok ? 'none' : checked.reason
    }
    const { publicKey } = KEYS.p256
    const by = (signature: Uint8Array) => reasonOf('ecdsa-with-SHA256', publicKey, signature)
    const { order } = CURVES['P-256']
    expect(by(new Uint8Array())).toBe('The signature is empty.')
    expect(by(sequence(integer(0), integer(1)))).toBe('The number r of the signature is out of range.')
    expect(by(sequence(integer(1), integer(-1)))).toBe('The number s of the signature is out of range.')
    expect(by(sequence(integer(1), integer(order)))).toBe('The number s of the signature is out of range.')
    expect(by(sequence(integer(1), integer(order - 1n)))).toBe('The signature does not match.')
    expect(by(sequence(integer(1)))).toContain('not the DER of two numbers: signature: The field s is missing')
    expect(by(new Uint8Array(64).fill(1))).toContain('not the DER of two numbers')
    expect(by(Buffer.concat([sequence(integer(1), integer(1)), Buffer.of(0)]))).toContain('1 bytes follow')
    expect(reasonOf('Ed25519', KEYS.ed25519.publicKey, new Uint8Array(63))).toBe('A signature by Ed25519 has 64 bytes, not 63.')
    expect(reasonOf('ML-DSA-65', KEYS.mlDsa65.publicKey, new Uint8Array())).toBe('The signature is empty.')
    expect(reasonOf('sha256WithRSAEncryption', KEYS.rsa.publicKey, new Uint8Array())).toBe('The signature is empty.')
    expect(reasonOf('sha256WithRSAEncryption', KEYS.rsa.publicKey, new Uint8Array(255))).toBe('The signature is not as long as the key.')
  })

  test('a private key does for checking as well', () => {
    const key = createPrivateKey(KEYS.p256.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    expect(verifySignature('ecdsa-with-SHA256', key, message, signWith('ecdsa-with-SHA256', key, message))).toBe(true)
  })
})

describe('algorithm identifiers', () => {
  test.each(SIGNATURE_ALGORITHMS)('%s is written and read back', (algorithm) => {
    expect(parseAlgorithmIdentifier(encodeAlgorithmIdentifier(algorithm))).toBe(algorithm)
    expect(() => readDer(encodeAlgorithmIdentifier(algorithm))).not.toThrow()
  })

  test('parameters that the RFC does not allow are refused', () => {
    expect(() => parseAlgorithmIdentifier(sequence(oid(OIDS.sha256WithRSAEncryption), integer(1)))).toThrow('must be NULL or absent')
    expect(() => parseAlgorithmIdentifier(sequence(oid(OIDS['ecdsa-with-SHA256']), nullValue()))).toThrow('must be absent')
    expect(() => parseAlgorithmIdentifier(sequence(oid(OIDS.Ed25519), nullValue()))).toThrow('must be absent')
    expect(() => parseAlgorithmIdentifier(sequence(oid(OIDS.rsassaPss), sequence()))).toThrow('must be one of SHA-256')
    expect(() => parseAlgorithmIdentifier(sequence(oid('1.2.3'), nullValue(), nullValue()))).toThrow('Unexpected NULL')
  })

  test.each(['sha1WithRSAEncryption', 'sha256WithRSAEncryption', 'sha384WithRSAEncryption', 'sha512WithRSAEncryption'] as const)(
    '%s is read without parameters too (RFC 4055 section 5)',
    (name) => {
      expect(parseAlgorithmIdentifier(sequence(oid(OIDS[name])))).toBe(name)
    },
  )

  test('one we do not know keeps its identifier', () => {
    expect(parseAlgorithmIdentifier(sequence(oid('1.2.3'), nullValue()))).toBe('1.2.3')
  })
})

test('an RSA signature is as long as the modulus: one whose leading zero was cut off is refused', () => {
  const { privateKey, publicKey } = KEYS.rsa
  const leadingZero = Array.from({ length: 5_000 }).reduce<Uint8Array | undefined>((found) => {
    if (found !== undefined) return found
    const signature = signWith('rsassaPss-sha256', privateKey, Buffer.from('message 0'))
    return signature[0] === 0 ? signature : undefined
  }, undefined)
  expect(leadingZero).toBeDefined()
  const signature = leadingZero ?? new Uint8Array()
  expect(checkSignature('rsassaPss-sha256', publicKey, Buffer.from('message 0'), signature)).toEqual({ ok: true })
  expect(checkSignature('rsassaPss-sha256', publicKey, Buffer.from('message 0'), signature.subarray(1))).toMatchObject({ ok: false })
})
