import fc from 'fast-check'
// Whatever is written comes back, and written again from what came back it is the same to the byte: certificates and requests of any names,
// times, extensions and keys.
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { hexOf } from '../der/values.ts'
import { octetString } from '../der/writer.ts'
import { defaultSignatureAlgorithm, signWith, SIGNATURE_ALGORITHMS } from './algorithms.ts'
import { assembleSigned, buildTbsCertificate, parseCertificate } from './certificate.ts'
import { buildCsrInfo, parseCsr } from './csr.ts'
import type { Extension } from './extension-types.ts'
import { KINDS } from './extensions.fixture.ts'
import { nameOf, type Name } from './names.ts'
import { OIDS } from './oids.ts'
import { parsePublicKey } from './public-key.ts'
import { RAW_KEY_NAMES, nodeKeyType } from './raw-keys.ts'

// The overloads of generateKeyPairSync take one literal each.
const keys = [
  ...RAW_KEY_NAMES.filter((name) => !/^SLH.*s$/.test(name)).map((name) => generateKeyPairSync(nodeKeyType(name) as 'ed25519')),
  ...['P-256', 'P-384', 'P-521', 'secp256k1', 'brainpoolP256r1', 'brainpoolP384r1', 'brainpoolP512r1'].map((namedCurve) =>
    generateKeyPairSync('ec', { namedCurve }),
  ),
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
].map(({ publicKey }) => publicKey.export({ type: 'spki', format: 'der' }))
const signer = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const name: fc.Arbitrary<Name> = fc
  .array(
    fc.array(
      fc.tuple(
        fc.constantFrom('CN', 'O', 'OU', 'L', 'emailAddress', 'DC'),
        fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((rdns) => rdns.map((pairs) => nameOf(...pairs).flat()))
const kinds = Object.values(KINDS) as fc.Arbitrary<Extension>[]
const extensions = fc
  .array(fc.nat(kinds.length - 1), { maxLength: 6 })
  .chain((picked) =>
    fc.tuple(
      ...[...new Set(picked)].map((index) => kinds[index] ?? kinds[0] ?? fc.constant<Extension>({ type: 'ocspNoCheck', critical: false })),
    ),
  )
const time = fc
  .date({ min: new Date('1950-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / 1000) * 1000))
const serialNumber = fc
  .tuple(fc.integer({ min: 1, max: 255 }), fc.uint8Array({ maxLength: 18 }))
  .map(([first, rest]) => Uint8Array.of(first, ...rest))
const spki = fc.constantFrom(...keys)

test('a certificate', () => {
  fc.assert(
    fc.property(serialNumber, name, name, time, time, spki, extensions, (serial, issuer, subject, notBefore, notAfter, publicKey, list) => {
      const input = {
        serialNumber: serial,
        signatureAlgorithm: 'ecdsa-with-SHA256',
        issuer,
        subject,
        notBefore,
        notAfter,
        publicKey,
        extensions: list,
      } as const
      const tbs = buildTbsCertificate(input)
      const read = parseCertificate(assembleSigned(tbs, 'ecdsa-with-SHA256', octetString()))
      const again = buildTbsCertificate({ ...read, signatureAlgorithm: 'ecdsa-with-SHA256', publicKey: read.publicKey.spki })
      return hexOf(again) === hexOf(tbs) && hexOf(read.tbs) === hexOf(tbs)
    }),
    { numRuns: 300 },
  )
})

test('a request', () => {
  const attribute = fc
    .tuple(fc.constantFrom('1.2.3', '1.2.4', OIDS.challengePassword), fc.uint8Array({ maxLength: 9 }))
    .map(([type, bytes]) => ({ type, values: [octetString(bytes)] }))
  fc.assert(
    fc.property(
      name,
      spki,
      extensions,
      fc.uniqueArray(attribute, { selector: ({ type }) => type, maxLength: 3 }),
      (subject, publicKey, requestedExtensions, attributes) => {
        const info = buildCsrInfo({ subject, publicKey, requestedExtensions, attributes })
        const read = parseCsr(assembleSigned(info, 'ecdsa-with-SHA256', octetString()))
        const again = buildCsrInfo({
          ...read,
          publicKey: read.publicKey.spki,
          attributes: read.attributes.filter(({ type }) => type !== OIDS.extensionRequest),
        })
        return hexOf(again) === hexOf(info)
      },
    ),
    { numRuns: 300 },
  )
})

test('every kind of key stands in a certificate that OpenSSL 3.5 reads and verifies', () => {
  for (const publicKey of keys) {
    const tbs = buildTbsCertificate({
      serialNumber: Uint8Array.of(1),
      signatureAlgorithm: 'ecdsa-with-SHA256',
      issuer: nameOf(['CN', 'ca']),
      subject: nameOf(['CN', 'x']),
      notBefore: new Date('2026-01-01'),
      notAfter: new Date('2027-01-01'),
      publicKey,
      extensions: [],
    })
    const certificate = new X509Certificate(assembleSigned(tbs, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', signer.privateKey, tbs)))
    expect(certificate.verify(signer.publicKey)).toBe(true)
    expect(certificate.publicKey.export({ type: 'spki', format: 'der' }).equals(publicKey)).toBe(true)
  }
})

test('every signing key has a default algorithm that is one of ours', () => {
  const defaults = keys
    .map((key) => parsePublicKey(key))
    .filter(({ algorithm }) => !/^(X|ML-KEM)/.test(algorithm))
    .map(defaultSignatureAlgorithm)
  expect(defaults.every((algorithm) => SIGNATURE_ALGORITHMS.includes(algorithm))).toBe(true)
  expect(new Set(defaults).size).toBeGreaterThan(12)
})
