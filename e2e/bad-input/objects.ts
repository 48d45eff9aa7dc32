// Bad certificates, revocation lists, OCSP requests, PKCS#7 and PKCS#12: what is decoded, uploaded, imported or asked.

import { createHash, createHmac } from 'node:crypto'
import { certificatesOnly } from '#standards/cms/certificates-only.ts'
import { buildTbsCertList } from '#standards/crl/certificate-list.ts'
import {
  boolean,
  concat,
  explicit,
  implicitPrimitive,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  set,
  utcTime,
  utf8String,
} from '#standards/der/writer.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { deriveByPkcs12 } from '#standards/pkcs12/derivation.ts'
import { PKCS_OID } from '#standards/pkcs12/identifiers.ts'
import { buildPkcs12 } from '#standards/pkcs12/pkcs12.ts'
import { encodeAlgorithmIdentifier } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { encodeExtension } from '#standards/x509/extensions.ts'
import { nameOf } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'
import type { ObjectCase, ObjectDoor } from './case.ts'
import {
  certificate,
  certificatePem,
  dnsName,
  ec,
  extension,
  host,
  newEcPair,
  rdn,
  sans,
  signed,
  subjectOf,
  tbsOf,
  validityFrom,
  withSignature,
} from './make.ts'

const readers: readonly ObjectDoor[] = ['decoder', 'upload', 'authority import', 'verify chain']
type Line = readonly [
  name: string,
  make: () => Uint8Array | string | Promise<Uint8Array | string>,
  reason: RegExp,
  doors?: readonly ObjectDoor[],
]
const table = (className: ObjectCase['class'], label: string, doors: readonly ObjectDoor[], lines: readonly Line[]): ObjectCase[] =>
  lines.map(([name, make, reason, own]) => ({
    class: className,
    name,
    async make() {
      const made = await make()
      return typeof made === 'string' ? made : encodePem(label, made)
    },
    reason,
    doors: own ?? doors,
    ...(className === 'PKCS#12' ? { password: 'correct horse' } : {}),
  }))

export const ownRoot = certificate({
  subject: subjectOf(['CN', 'Matrix Root']),
  extensions: [
    encodeExtension({ type: 'basicConstraints', critical: true, cA: true }),
    encodeExtension({ type: 'keyUsage', critical: true, usages: ['keyCertSign', 'cRLSign'] }),
  ],
})
const good = certificate()
const changed = (der: Uint8Array, at: number) => der.map((byte, index) => (index === (at + der.length) % der.length ? byte ^ 1 : byte))
const nested = (depth: number) => Array.from({ length: depth }).reduce<Uint8Array>((inner) => sequence(inner), nullValue())
const privatePem = ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const reversed = sequence(utcTime(new Date(Date.now() + 86_400_000)), utcTime(new Date(Date.now() - 86_400_000)))

const certificates = table('certificates', 'CERTIFICATE', readers, [
  ['cut off', () => good.subarray(0, 120), /claims/],
  ['bytes behind it', () => concat(good, Uint8Array.of(5, 0, 0)), /follow the end/],
  ['indefinite length', () => Buffer.concat([Buffer.of(0x30, 0x80), good.subarray(4), Buffer.of(0, 0)]), /Indefinite/],
  [
    'length not minimal',
    () => Buffer.concat([Buffer.of(0x30, 0x83, 0, good[2] ?? 0, good[3] ?? 0), good.subarray(4)]),
    /needless leading zero/,
  ],
  ['version 1 written out', () => certificate({ version: explicit(0, integer(0)) }), /Version 1 is the default/],
  ['version 5', () => certificate({ version: explicit(0, integer(4)) }), /version/],
  ['version 1 with extensions', () => certificate({ version: new Uint8Array(), extensions: [sans(dnsName(host))] }), /version 3/],
  ['a serial number of 200 bytes', () => certificate({ serial: integer(1n << 1600n) }), /serial/i],
  [
    'an algorithm outside that differs',
    () => withSignature(tbsOf(), sequence(oid(OIDS['ecdsa-with-SHA384'])), new Uint8Array(70)),
    /algorithm differs/,
  ],
  [
    'an unknown form of time',
    () => certificate({ validity: sequence(utf8String('20260101000000Z'), utf8String('20270101000000Z')) }),
    /time|UTCTime/i,
  ],
  [
    'a time without its Z',
    () => certificate({ validity: sequence(Buffer.concat([Buffer.of(0x17, 12), Buffer.from('260101000000')]), utcTime(new Date())) }),
    /time|UTCTime/i,
  ],
  [
    'the 31st of February',
    () => certificate({ validity: sequence(Buffer.concat([Buffer.of(0x17, 13), Buffer.from('260231000000Z')]), utcTime(new Date())) }),
    /time|date|day/i,
  ],
  ['an extension twice', () => certificate({ extensions: [sans(dnsName(host)), sans(dnsName('b.example'))] }), /stands twice/],
  [
    'no extensions in their wrapper',
    () =>
      signed(
        sequence(
          explicit(0, integer(2)),
          integer(1),
          encodeAlgorithmIdentifier(ec.by),
          subjectOf(['CN', 'a']),
          validityFrom(-1, 1),
          subjectOf(['CN', 'a']),
          ec.spki,
          explicit(3, sequence()),
        ),
      ),
    /at least 1|empty/i,
  ],
  [
    'a boolean that is neither',
    () => certificate({ extensions: [extension(OIDS.basicConstraints, sequence(Uint8Array.of(1, 1, 1)))] }),
    /BOOLEAN/,
  ],
  [
    'FALSE written out',
    () => certificate({ extensions: [sequence(oid(OIDS.keyUsage), boolean(false), octetString(Buffer.of(3, 2, 7, 128)))] }),
    /FALSE is the default/,
  ],
  ['depth 60', () => certificate({ extensions: [extension(OIDS.subjectAltName, nested(60))] }), /deep|GeneralName|SAN|subjectAltName/],
  [
    'an IP address of 3 bytes',
    () => certificate({ extensions: [extension(OIDS.subjectAltName, sequence(Buffer.of(0x87, 3, 1, 2, 3)))] }),
    /address/,
  ],
  ['an EC key off the curve', () => certificate({ spki: changed(ec.spki, -1) }), /not on P-256/, ['decoder', 'verify chain']],
  ['a hybrid EC key', () => certificate({ spki: ec.spki.map((byte, at) => (at === ec.spki.length - 65 ? 6 : byte)) }), /hybrid/],
  [
    'an unsorted SET in the name',
    () => certificate({ subject: sequence(set(...['b', 'a'].map((text) => sequence(oid(OIDS.commonName), utf8String(text))))) }),
    /ascending order/,
  ],
  ['a broken UTF-8', () => certificate({ subject: sequence(rdn(OIDS.commonName, Buffer.of(0x0c, 2, 0xc3, 0x28))) }), /UTF/],
  ['a private key beside it', () => certificatePem(good) + privatePem, /private key/],
  ['a private key instead', () => privatePem, /private key/],
  ['60,000 opening brackets', () => Buffer.alloc(60_000, 0x30), /claims|a chain has at most 20/],
])
const verdicts = table(
  'certificates',
  'CERTIFICATE',
  ['verify chain'],
  [
    [
      'signed by another key',
      () => certificate({ subject: subjectOf(['CN', host]), issuer: subjectOf(['CN', 'Matrix Root']), signer: newEcPair() }),
      /signature/i,
    ],
    ['one bit changed', () => changed(certificate({ issuer: subjectOf(['CN', 'Matrix Root']) }), -3), /signature/i],
    [
      'an empty signature',
      () => withSignature(tbsOf({ issuer: subjectOf(['CN', 'Matrix Root']) }), encodeAlgorithmIdentifier(ec.by), new Uint8Array()),
      /signature/i,
    ],
    ['expired', () => certificate({ issuer: subjectOf(['CN', 'Matrix Root']), validity: validityFrom(-10, -5) }), /expired|ended/i],
    [
      'not valid yet',
      () => certificate({ issuer: subjectOf(['CN', 'Matrix Root']), validity: validityFrom(5, 10) }),
      /not valid|yet|begins/i,
    ],
    [
      'its end before its beginning',
      () => certificate({ issuer: subjectOf(['CN', 'Matrix Root']), validity: reversed }),
      /not valid|expired|before|yet/i,
    ],
    [
      'an unknown critical extension',
      () => certificate({ issuer: subjectOf(['CN', 'Matrix Root']), extensions: [extension('1.2.3.4.5', nullValue(), true)] }),
      /1\.2\.3\.4\.5/,
    ],
    ['of an unknown issuer', () => certificate({ issuer: subjectOf(['CN', 'Nobody']) }), /issuer|trusted|path/i],
  ],
)
const answers = table(
  'certificates',
  'CERTIFICATE',
  ['authority import'],
  [
    ['for another key', () => certificate({ spki: newEcPair().spki }), /None of these is for this authority's key/],
    [
      'a request instead',
      () => encodePem('CERTIFICATE REQUEST', signed(sequence(integer(0), subjectOf(['CN', 'a']), ec.spki, explicit(0)))),
      /This is the request/,
    ],
    ['21 certificates', () => Array.from({ length: 21 }, () => certificatePem(good)).join(''), /at most 20|None of these/],
  ],
)

const crl = async (): Promise<Uint8Array> =>
  signed(
    await buildTbsCertList({
      signatureAlgorithm: ec.by,
      issuer: nameOf(['CN', 'Matrix Root']),
      thisUpdate: new Date(Date.now() - 60_000),
      nextUpdate: new Date(Date.now() + 86_400_000),
      crlNumber: 7n,
      authorityKeyIdentifier: Buffer.alloc(20, 1),
      entries: [{ serialNumber: Buffer.of(9), revocationDate: new Date(Date.now() - 120_000) }],
    }),
  )
const algorithmOf = encodeAlgorithmIdentifier(ec.by)
const list = (...fields: Uint8Array[]) => assembleSigned(sequence(...fields), ec.by, new Uint8Array(70))
const issuer = subjectOf(['CN', 'Matrix Root'])
const now = utcTime(new Date(Date.now() - 60_000))
const lists = table(
  'revocation lists',
  'X509 CRL',
  ['decoder', 'verify chain lists'],
  [
    ['cut off', async () => (await crl()).subarray(0, 100), /claims/],
    ['indefinite length', async () => Buffer.concat([Buffer.of(0x30, 0x80), (await crl()).subarray(4), Buffer.of(0, 0)]), /indefinite/],
    ['version 5', () => list(integer(4), algorithmOf, issuer, now, now), /version/i],
    ['an empty issuer', () => list(integer(1), algorithmOf, sequence(), now, now), /must not be empty/],
    ['no time', () => list(integer(1), algorithmOf, issuer), /missing|thisUpdate/],
    [
      'an empty list of entries',
      () => list(integer(1), algorithmOf, issuer, now, now, sequence(), explicit(0, sequence(extension(OIDS.cRLNumber, integer(1))))),
      /empty|at least 1|absent/i,
    ],
    [
      'a serial that is no number',
      () => list(integer(1), algorithmOf, issuer, now, now, sequence(sequence(utf8String('9'), now))),
      /INTEGER/,
    ],
    [
      'an unknown reason',
      () =>
        list(
          integer(1),
          algorithmOf,
          issuer,
          now,
          now,
          sequence(sequence(integer(9), now, sequence(extension(OIDS.reasonCode, Buffer.of(10, 1, 99))))),
        ),
      /reason/i,
    ],
    [
      'an algorithm outside that differs',
      () =>
        withSignature(sequence(integer(1), algorithmOf, issuer, now, now), sequence(oid(OIDS['ecdsa-with-SHA384'])), new Uint8Array(70)),
      /not the one that the signature covers/,
    ],
    [
      'an extension twice',
      () =>
        list(
          integer(1),
          algorithmOf,
          issuer,
          now,
          now,
          explicit(0, sequence(extension(OIDS.cRLNumber, integer(1)), extension(OIDS.cRLNumber, integer(2)))),
        ),
      /stands twice/,
    ],
    ['a certificate instead', () => certificatePem(good), /certificate/i, ['verify chain lists']],
  ],
)

const certId = (serial = integer(5), hash: Uint8Array = sequence(oid('1.3.14.3.2.26'), nullValue()), bytes = 20) =>
  sequence(
    hash,
    octetString(createHash('sha1').update('a').digest().subarray(0, bytes)),
    octetString(createHash('sha1').update('b').digest().subarray(0, bytes)),
    serial,
  )
const asked = (requests: Uint8Array, ...more: Uint8Array[]) => sequence(sequence(requests, ...more))
const one = sequence(sequence(certId()))
const nonce = (content: Uint8Array) => explicit(2, sequence(extension(OIDS.ocspNonce, content)))
const ocsp = table(
  'OCSP requests',
  'OCSP REQUEST',
  ['OCSP POST', 'OCSP GET', 'decoder'],
  [
    ['empty', () => sequence(), /malformed|missing|items|not/i, ['OCSP POST', 'OCSP GET']],
    ['no request in it', () => asked(sequence()), /malformed|at least 1|empty/i, ['OCSP POST', 'OCSP GET']],
    ['cut off', () => asked(one).subarray(0, 40), /malformed|claims/i],
    ['bytes behind it', () => concat(asked(one), Uint8Array.of(0)), /malformed|behind|after|items/i, ['OCSP POST', 'OCSP GET']],
    ['indefinite length', () => Buffer.concat([Buffer.of(0x30, 0x80), asked(one).subarray(2), Buffer.of(0, 0)]), /malformed|Indefinite/i],
    [
      '17 certificates',
      () => asked(sequence(...Array.from({ length: 17 }, (_, at) => sequence(certId(integer(at)))))),
      /malformed/,
      ['OCSP POST', 'OCSP GET'],
    ],
    ['version 3', () => sequence(sequence(explicit(0, integer(2)), one)), /malformed|version/i],
    ['an empty nonce', () => asked(one, nonce(octetString())), /malformed|nonce/i],
    ['a nonce of 129 bytes', () => asked(one, nonce(octetString(new Uint8Array(129)))), /malformed|nonce/i],
    [
      'a nonce twice',
      () =>
        asked(
          one,
          explicit(2, sequence(extension(OIDS.ocspNonce, octetString(Buffer.of(1))), extension(OIDS.ocspNonce, octetString(Buffer.of(2))))),
        ),
      /malformed|twice/i,
    ],
    [
      'an unknown critical extension',
      () => asked(one, explicit(2, sequence(extension('1.2.3', nullValue(), true)))),
      /malformed|critical/i,
    ],
    ['a hash of 19 bytes', () => asked(sequence(sequence(certId(integer(5), undefined, 19)))), /malformed|hash|bytes/i],
    [
      'an unknown hash',
      () => asked(sequence(sequence(certId(integer(5), sequence(oid('1.2.3')))))),
      /malformed|unauthorized|hash|not known/i,
    ],
    ['a serial of 300 bytes', () => asked(sequence(sequence(certId(integer(1n << 2400n))))), /malformed|serial/i],
    ['of another authority', () => asked(one), /unauthorized/, ['OCSP POST', 'OCSP GET']],
    ['depth 60', () => asked(one, nonce(nested(60))), /malformed|deep|nonce/i],
    ['17 KB', () => asked(one, nonce(octetString(new Uint8Array(17_000)))), /malformed|nonce|at most/i, ['OCSP POST']],
    ['a certificate instead', () => good, /malformed/i, ['OCSP POST', 'OCSP GET']],
  ],
)

const contentInfo = (type: string, ...content: Uint8Array[]) => sequence(oid(type), ...content.map((one) => explicit(0, one)))
const pkcs7 = table(
  'PKCS#7',
  'PKCS7',
  ['decoder', 'upload', 'authority import', 'verify chain'],
  [
    ['cut off', () => certificatesOnly([good]).subarray(0, 100), /claims/],
    [
      'indefinite length',
      () => Buffer.concat([Buffer.of(0x30, 0x80), certificatesOnly([good]).subarray(4), Buffer.of(0, 0)]),
      /Indefinite/,
    ],
    ['of an unknown type', () => contentInfo('1.2.3', nullValue()), /not signed data|certificates, in PEM or PKCS#7/],
    ['without content', () => contentInfo(OIDS.signedData), /missing|content/],
    [
      'a version that is no number',
      () => contentInfo(OIDS.signedData, sequence(utf8String('1'), set(), contentInfo(OIDS.data), set())),
      /INTEGER/,
    ],
    [
      'a certificate in it that is none',
      () => contentInfo(OIDS.signedData, sequence(integer(1), set(), contentInfo(OIDS.data), explicit(0, sequence(integer(5))), set())),
      /tbsCertificate|SEQUENCE|missing|certificate/i,
    ],
    ['depth 60', () => contentInfo(OIDS.signedData, nested(60)), /deep|INTEGER|version/],
    [
      'no certificates',
      () => contentInfo(OIDS.signedData, sequence(integer(1), set(), contentInfo(OIDS.data), set())),
      /no certificate|certificate/i,
      ['upload', 'authority import', 'verify chain'],
    ],
  ],
)

const file = () =>
  buildPkcs12({
    privateKeyPkcs8: ec.privateKey.export({ type: 'pkcs8', format: 'der' }),
    certificates: [good],
    password: 'correct horse',
    friendlyName: 'a',
    iterations: 1000,
  })
const sha256 = sequence(oid(OIDS.sha256), nullValue())
const withMac = (rounds: Uint8Array, salt = new Uint8Array(8)) =>
  sequence(
    integer(3),
    contentInfo(OIDS.data, octetString(sequence())),
    sequence(sequence(sha256, octetString(new Uint8Array(32))), octetString(salt), rounds),
  )
/** A file whose MAC is right and cheap, so that its reader goes on to what costs: parts or a key encrypted by these parameters. */
async function costly(algorithm: Uint8Array, where: 'part' | 'key' = 'part'): Promise<Uint8Array> {
  const encrypted = octetString(new Uint8Array(32))
  const part = contentInfo(
    OIDS.encryptedData,
    sequence(integer(0), sequence(oid(OIDS.data), algorithm, implicitPrimitive(0, new Uint8Array(32)))),
  )
  const bag = sequence(oid(PKCS_OID.pkcs8ShroudedKeyBag), explicit(0, sequence(algorithm, encrypted)))
  const safe = sequence(where === 'part' ? part : contentInfo(OIDS.data, octetString(sequence(bag))))
  const salt = new Uint8Array(8)
  const key = await deriveByPkcs12({ digest: 'sha256', purpose: 'mac', password: 'correct horse', salt, iterations: 1, bytes: 32 })
  return sequence(
    integer(3),
    contentInfo(OIDS.data, octetString(safe)),
    sequence(sequence(sha256, octetString(createHmac('sha256', key).update(safe).digest())), octetString(salt), integer(1)),
  )
}
const aes = sequence(oid(PKCS_OID.aes256Cbc), octetString(new Uint8Array(16)))
const pbes2 = (derivation: string, ...parameters: Uint8Array[]) =>
  sequence(oid(PKCS_OID.pbes2), sequence(sequence(oid(derivation), sequence(octetString(new Uint8Array(8)), ...parameters)), aes))
const pbkdf2 = (rounds: number | bigint, ...more: Uint8Array[]) =>
  pbes2(PKCS_OID.pbkdf2, integer(rounds), ...more, sequence(oid(PKCS_OID.hmacWithSha256), nullValue()))
/** RFC 7914 7.1: N, r, p. With these it would take 1 PiB. */
const scrypt = pbes2('1.3.6.1.4.1.11591.4.11', integer(1n << 40n), integer(8), integer(1))
const encryptedKey = (algorithm: Uint8Array) => encodePem('ENCRYPTED PRIVATE KEY', sequence(algorithm, octetString(new Uint8Array(64))))

const everywhere: readonly ObjectDoor[] = ['decoder', 'upload', 'authority import', 'verify chain']
const derivation = /rounds of key derivation|key derivation .* is not known|must be between|has 32 bytes|certificate/
const pkcs12 = table(
  'PKCS#12',
  'PKCS12',
  ['decoder'],
  [
    ['2^31 rounds of PBKDF2', () => costly(pbkdf2(2 ** 31)), derivation, everywhere],
    ['2,147,483,647 rounds of PBKDF2 for the key', () => costly(pbkdf2(2_147_483_647), 'key'), derivation, everywhere],
    ['2^62 rounds of PBKDF2', () => costly(pbkdf2(1n << 62n)), derivation, everywhere],
    ['PBKDF2 for a key of 2^30 bytes', () => costly(pbkdf2(1000, integer(2 ** 30))), derivation, everywhere],
    [
      '2^31 rounds of triple DES',
      () => costly(sequence(oid(PKCS_OID.pbeWithShaAnd3KeyTripleDes), sequence(octetString(new Uint8Array(8)), integer(2 ** 31)))),
      derivation,
      everywhere,
    ],
    ['scrypt with N = 2^40', () => costly(scrypt), derivation, everywhere],
    ['scrypt with N = 2^40 for the key', () => costly(scrypt, 'key'), derivation, everywhere],
    ['an encrypted key of 2^31 rounds', () => encryptedKey(pbkdf2(2 ** 31)), /private key|no certificate|certificate/i, everywhere],
    ['an encrypted key by scrypt with N = 2^40', () => encryptedKey(scrypt), /private key|no certificate|certificate/i, everywhere],
    [
      'another password',
      async () =>
        await buildPkcs12({
          privateKeyPkcs8: ec.privateKey.export({ type: 'pkcs8', format: 'der' }),
          certificates: [good],
          password: 'another',
          friendlyName: 'a',
          iterations: 1000,
        }),
      /password/,
    ],
    ['cut off', async () => (await file()).subarray(0, 200), /claims/],
    ['one bit changed', async () => changed(await file(), -60), /password|changed|MAC/],
    ['2,147,483,647 rounds of the MAC', () => withMac(integer(2_147_483_647)), /rounds/],
    ['2^60 rounds of the MAC', () => withMac(integer(1n << 60n)), /rounds|iterations|large|INTEGER/i],
    ['0 rounds of the MAC', () => withMac(integer(0)), /rounds|iterations|at least|INTEGER|number/i],
    ['-1 rounds of the MAC', () => withMac(integer(-1)), /rounds|iterations|at least|INTEGER|number/i],
    ['a salt of 100 KB', () => withMac(integer(1), new Uint8Array(100_000)), /salt/],
    ['no MAC', () => sequence(integer(3), contentInfo(OIDS.data, octetString(sequence()))), /no MAC/],
    ['version 1', () => sequence(integer(1), contentInfo(OIDS.data, octetString(sequence()))), /version/],
    ['depth 60', () => sequence(integer(3), contentInfo(OIDS.data, octetString(nested(60)))), /deep|MAC/],
  ],
)

export const objectCases: readonly ObjectCase[] = [...certificates, ...verdicts, ...answers, ...lists, ...ocsp, ...pkcs7, ...pkcs12]
