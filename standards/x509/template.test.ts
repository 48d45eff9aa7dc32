import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { explicit, integer, sequence, time } from '../der/writer.ts'
import { encodeAlgorithmIdentifier } from './algorithms.ts'
import { buildTbsCertificate, parseTbsCertificate } from './certificate.ts'
import type { Extension } from './extension-types.ts'
import { encodeExtensions } from './extensions.ts'
import type { GeneralName } from './general-names.ts'
import { encodeName, nameOf, type Name } from './names.ts'
import { keyIdentifier } from './public-key.ts'
import { compileCertificate, type CertificateFields, type OpenExtension } from './template.ts'

const issuer = nameOf(['C', 'AU'], ['O', 'Hönig & Söhne'], ['CN', 'Issuing'])
const signatureAlgorithm = 'ecdsa-with-SHA256'
const keys = [
  generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  generateKeyPairSync('ed25519'),
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
].map(({ publicKey }) => new Uint8Array(publicKey.export({ format: 'der', type: 'spki' })))

const one = <T>(...choices: readonly [T, ...T[]]): T => choices[randomInt(choices.length)] ?? choices[0]
const some = <T>(choices: readonly T[]): T[] => choices.filter(() => randomInt(2) === 0)

const fixedExtensions: readonly Extension[] = [
  { type: 'basicConstraints', critical: true, cA: false },
  { type: 'keyUsage', critical: true, usages: ['digitalSignature'] },
  { type: 'extKeyUsage', critical: false, purposes: ['1.3.6.1.5.5.7.3.1'] },
  { type: 'tlsFeature', critical: false, features: [5] },
  { type: 'unknown', oid: '1.2.3.4', critical: false, value: new Uint8Array(300) },
]

const names: readonly (() => GeneralName)[] = [
  () => ({ type: 'dNSName', value: `host-${randomInt(1000)}.example.org` }),
  () => ({ type: 'dNSName', value: 'x'.repeat(one(1, 63, 127, 128, 250)) }),
  () => ({ type: 'rfc822Name', value: 'ada@example.org' }),
  () => ({ type: 'iPAddress', value: '2001:db8::1' }),
  () => ({ type: 'directoryName', name: nameOf(['O', 'Elsewhere']) }),
]

const subjects: readonly (() => Name)[] = [
  () => [],
  () => nameOf(['CN', 'device.example.org']),
  () => nameOf(['C', 'AU'], ['serialNumber', '12 34'], ['O', 'Zoë 株式会社'], ['CN', 'a'.repeat(one(1, 64))]),
  () => [nameOf(['CN', 'two in'], ['OU', 'one part']).flat()],
  () => nameOf(['CN', 'Kelvin \u{1f511}'], ['emailAddress', 'ada@example.org']),
]

function someFields(): CertificateFields {
  const serialNumber = Buffer.concat([Buffer.alloc(randomInt(3)), Buffer.of(randomInt(1, 256)), randomBytes(randomInt(0, 17))])
  const notBefore = new Date(
    Date.UTC(
      one(1950, 1999, 2026, 2049, 2050),
      randomInt(12),
      randomInt(1, 29),
      randomInt(24),
      randomInt(60),
      randomInt(60),
      randomInt(1000),
    ),
  )
  return {
    serialNumber,
    notBefore,
    notAfter: new Date(notBefore.getTime() + randomInt(2 ** 40)),
    subject: one(...(subjects as [() => Name]))(),
    publicKey: one(...(keys as [Uint8Array])),
    subjectAltNames:
      randomInt(4) === 0 ? undefined : Array.from({ length: randomInt(1, 5) }, () => one(...(names as [() => GeneralName]))()),
  }
}

/** The same certificate by the plain writer, piece by piece. */
function plainly(
  { serialNumber, notBefore, notAfter, subject, publicKey }: CertificateFields,
  extensions: readonly Extension[],
): Uint8Array {
  return sequence(
    ...(extensions.length === 0 ? [] : [explicit(0, integer(2))]),
    integer(serialNumber),
    encodeAlgorithmIdentifier(signatureAlgorithm),
    encodeName(issuer),
    sequence(time(notBefore), time(notAfter)),
    subject instanceof Uint8Array ? subject : encodeName(subject),
    publicKey instanceof Uint8Array ? publicKey : publicKey.spki,
    ...(extensions.length === 0 ? [] : [explicit(3, encodeExtensions(extensions))]),
  )
}

function filledIn(places: readonly (Extension | OpenExtension)[], { subject, publicKey, subjectAltNames }: CertificateFields): Extension[] {
  return places.flatMap((place): Extension[] => {
    if (typeof place !== 'string') return [place]
    if (place === 'subjectKeyIdentifier') return [{ type: place, critical: false, keyIdentifier: keyIdentifier(publicKey) }]
    return subjectAltNames === undefined ? [] : [{ type: place, critical: subject.length === 0, names: [...subjectAltNames] }]
  })
}

describe('a certificate filled into its template', () => {
  test('has the bytes that the plain writer gives, whatever template and fields are', () => {
    for (let round = 0; round < 60; round += 1) {
      const places: (Extension | OpenExtension)[] = some<Extension | OpenExtension>([
        ...fixedExtensions,
        'subjectAltName',
        'subjectKeyIdentifier',
      ]).toSorted(() => randomInt(3) - 1)
      const template = compileCertificate({ signatureAlgorithm, issuer, extensions: places })
      for (let filled = 0; filled < 5; filled += 1) {
        const fields = someFields()
        const extensions = filledIn(places, fields)
        const bytes = template(fields)
        expect(Buffer.from(bytes).toString('hex')).toBe(Buffer.from(plainly(fields, extensions)).toString('hex'))
        const { subjectAltNames: _, ...rest } = fields
        expect(Buffer.compare(buildTbsCertificate({ ...rest, signatureAlgorithm, issuer, extensions }), bytes)).toBe(0)
        expect(Buffer.compare(parseTbsCertificate(bytes).tbs, bytes)).toBe(0)
      }
    }
  })

  test('has them as well where it differs from the one before in little, and whatever it differs in', () => {
    const cn = (value: string, type: 'CN' | 'OU' = 'CN'): Name => nameOf(['C', 'AU'], [type, value])
    const dns = (...values: string[]): GeneralName[] => values.map((value) => ({ type: 'dNSName', value }))
    const freshKey = () =>
      new Uint8Array(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' }))
    const first: CertificateFields = {
      serialNumber: Buffer.of(1, 2, 3),
      notBefore: new Date('2026-01-02T03:04:05Z'),
      notAfter: new Date('2027-01-02T03:04:05Z'),
      subject: cn('one'),
      publicKey: freshKey(),
      subjectAltNames: dns('one.example', 'two.example'),
    }
    const changes: Partial<CertificateFields>[] = [
      {},
      { serialNumber: Buffer.of(0x81, 2, 3) },
      { serialNumber: Buffer.of(9) },
      { notBefore: new Date('1950-01-01T00:00:00Z'), notAfter: new Date('2049-12-31T23:59:59Z') },
      { notAfter: new Date('2050-01-01T00:00:00Z') },
      { subject: cn('two') },
      { subject: cn('longer') },
      { subject: cn('zwö') },
      { subject: cn('one', 'OU') },
      { subject: nameOf(['C', 'NZ'], ['CN', 'one']) },
      { subject: nameOf(['CN', 'one']) },
      { subject: [cn('one').flat()] },
      { subject: encodeName(cn('six')) },
      { subject: [] },
      { publicKey: freshKey() },
      { publicKey: one(...(keys as [Uint8Array])) },
      { subjectAltNames: dns('six.example', 'ten.example') },
      { subjectAltNames: dns('a.example', 'b.example') },
      { subjectAltNames: dns('one.example') },
      { subjectAltNames: [...dns('one.example'), { type: 'rfc822Name', value: 'a@b.example' }] },
      { subjectAltNames: undefined },
    ]
    for (const places of [
      ['subjectAltName', ...fixedExtensions, 'subjectKeyIdentifier'],
      ['subjectKeyIdentifier'],
      ['subjectAltName'],
      [],
    ] satisfies (Extension | OpenExtension)[][]) {
      for (const before of changes) {
        const template = compileCertificate({ signatureAlgorithm, issuer, extensions: places })
        for (const change of [before, ...changes]) {
          const fields = { ...first, ...change }
          expect(Buffer.compare(template(fields), plainly(fields, filledIn(places, fields)))).toBe(0)
        }
      }
    }
  })

  test('holds a thousand names, more than the first page has room for', () => {
    const subjectAltNames = Array.from({ length: 1_000 }, (_, at): GeneralName => ({ type: 'dNSName', value: `host-${at}.example.org` }))
    const fields = { ...someFields(), subjectAltNames }
    const template = compileCertificate({ signatureAlgorithm, issuer, extensions: ['subjectAltName'] })
    expect(Buffer.compare(template(fields), plainly(fields, filledIn(['subjectAltName'], fields)))).toBe(0)
  })

  test('keeps its own bytes when the next one is filled in', () => {
    const template = compileCertificate({ signatureAlgorithm, issuer, extensions: ['subjectAltName', 'subjectKeyIdentifier'] })
    const [first, second] = [someFields(), someFields()]
    const [kept, before] = [template(first), Buffer.from(template(first)).toString('hex')]
    template(second)
    expect(Buffer.from(kept).toString('hex')).toBe(before)
  })

  test('is refused where RFC 5280 forbids it', () => {
    const template = compileCertificate({ signatureAlgorithm, issuer, extensions: ['subjectAltName'] })
    const fields = someFields()
    const refused: [Partial<CertificateFields>, RegExp][] = [
      [{ serialNumber: new Uint8Array(4) }, /serialNumber: must be positive/],
      [{ serialNumber: Buffer.alloc(20, 0x80) }, /more than 20 bytes/],
      [{ notBefore: new Date(Number.NaN) }, /notBefore: is not a date/],
      [{ notAfter: new Date(Date.UTC(10_000, 0)) }, /notAfter: the year/],
      [{ subjectAltNames: [] }, /must not be empty/],
      [{ subjectAltNames: [{ type: 'dNSName', value: 'höst' }] }, /outside ASCII/],
      [{ subject: Uint8Array.of(0x30, 1) }, /subject/],
    ]
    for (const [change, says] of refused) expect(() => template({ ...fields, ...change })).toThrow(says)
    // And no less after one that was good, or one without names.
    for (const good of [
      { subject: nameOf(['CN', 'a']), subjectAltNames: [{ type: 'dNSName' as const, value: 'host' }] },
      { subject: nameOf(['CN', 'a']), subjectAltNames: undefined },
    ]) {
      for (const [change, says] of refused) {
        template({ ...fields, ...good })
        expect(() => template({ ...fields, ...good, ...change })).toThrow(says)
      }
    }
    expect(() => compileCertificate({ signatureAlgorithm, issuer: [], extensions: [] })).toThrow(/issuer: must not be empty/)
    expect(() =>
      compileCertificate({
        signatureAlgorithm,
        issuer,
        extensions: ['subjectAltName', { type: 'subjectAltName', critical: false, names: [{ type: 'dNSName', value: 'a' }] }],
      }),
    ).toThrow(/stands twice/)
  })
})
