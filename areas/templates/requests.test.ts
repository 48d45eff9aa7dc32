// What strangers send, class by class: each is refused with a reason of its own, before any template is asked.

import { createHash, generateKeyPairSync, generatePrimeSync, sign, type KeyObject } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  bitString,
  boolean,
  concat,
  explicit,
  implicitConstructed,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  set,
  setOf,
  utf8String,
} from '#standards/der/writer.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { signWith, type SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { assembleSigned } from '#standards/x509/certificate.ts'
import { buildCsrInfo } from '#standards/x509/csr.ts'
import { encodeExtension } from '#standards/x509/extensions.ts'
import { encodeName, nameOf } from '#standards/x509/names.ts'
import { OIDS } from '#standards/x509/oids.ts'
import { ecPublicKey, parsePublicKey, rsaPublicKey } from '#standards/x509/public-key.ts'
import { readRequest } from './requests.ts'

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const spkiOf = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ type: 'spki', format: 'der' })
const spki = spkiOf(ec)
const subject = encodeName(nameOf(['CN', 'a.example']))
const pem = (der: Uint8Array) => encodePem('CERTIFICATE REQUEST', der)
const signed = (info: Uint8Array, by: SignatureAlgorithm = 'ecdsa-with-SHA256', key = ec.privateKey) =>
  assembleSigned(info, by, signWith(by, key, info))
const info = buildCsrInfo({ subject: nameOf(['CN', 'a.example']), publicKey: spki })
const good = signed(info)
/** A request for this key, signed by another: its key is judged first. */
const withKey = (key: Uint8Array) => signed(sequence(integer(0), subject, key, implicitConstructed(0)))
const withAttributes = (...attributes: Uint8Array[]) => signed(sequence(integer(0), subject, spki, implicitConstructed(0, ...attributes)))
const withExtension = (id: string, value: Uint8Array, ...critical: Uint8Array[]) =>
  withAttributes(sequence(oid(OIDS.extensionRequest), setOf(sequence(sequence(oid(id), ...critical, octetString(value))))))
const withSignature = (algorithm: Uint8Array, signature: Uint8Array, what = info) => sequence(what, algorithm, bitString(signature))

const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(514, '0'), 'hex')
const modulus = number(parsePublicKey(spkiOf(rsa)).modulus ?? new Uint8Array())
const prime = (bits: number) => generatePrimeSync(bits, { bigint: true })
const rsaKey = (n: bigint, e: bigint | number = 65_537) => withKey(rsaPublicKey(bytesOf(n), e))
const ecKey = (parameters: Uint8Array, point: Uint8Array) =>
  withKey(sequence(sequence(oid(OIDS.ecPublicKey), parameters), bitString(point)))
const rawKey = (id: string, key: Uint8Array) => withKey(sequence(sequence(oid(id)), bitString(key)))
const point = parsePublicKey(spki).point ?? new Uint8Array()
const changedPoint = (form: number, last = point.at(-1) ?? 0) => Buffer.concat([Buffer.of(form), point.subarray(1, -1), Buffer.of(last)])

/** The padded hash itself, which is a signature where the exponent is 1 (RFC 8017 9.2). */
function forged(): Uint8Array {
  const what = buildCsrInfo({ subject: nameOf(['CN', 'a.example']), publicKey: rsaPublicKey(bytesOf(modulus), 1) })
  const digest = sequence(sequence(oid(OIDS.sha256), nullValue()), octetString(createHash('sha256').update(what).digest()))
  return assembleSigned(
    what,
    'sha256WithRSAEncryption',
    Buffer.concat([Buffer.of(0, 1), Buffer.alloc(253 - digest.length, 0xff), Buffer.of(0), digest]),
  )
}

const bare = (name: keyof typeof OIDS) => sequence(oid(OIDS[name]))
const withNull = (name: keyof typeof OIDS) => sequence(oid(OIDS[name]), nullValue())
const rsaInfo = buildCsrInfo({ subject: nameOf(['CN', 'a.example']), publicKey: spkiOf(rsa) })
const replaced = (from: string, to: string) => {
  const hex = Buffer.from(good).toString('hex')
  expect(hex).toContain(from)
  return Buffer.from(hex.replace(from, to), 'hex')
}

const CLASSES: Record<string, [string, string | Uint8Array, string][]> = {
  signature: [
    ['of another key', withKey(spkiOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))), 'does not match its key'],
    ['that is empty', withSignature(bare('ecdsa-with-SHA256'), new Uint8Array()), 'The signature is empty'],
    [
      'by SHA-1',
      withSignature(withNull('sha1WithRSAEncryption'), sign('sha1', rsaInfo, rsa.privateKey), rsaInfo),
      'sha1WithRSAEncryption is too weak',
    ],
    [
      'by MD5',
      withSignature(withNull('md5WithRSAEncryption'), sign('md5', rsaInfo, rsa.privateKey), rsaInfo),
      'md5WithRSAEncryption is too weak',
    ],
    ['by an algorithm of another kind of key', withSignature(bare('Ed25519'), new Uint8Array(64)), 'A key for EC does not fit Ed25519'],
    ['by an unknown algorithm', withSignature(sequence(oid('1.2.3')), new Uint8Array(64)), '1.2.3 is not supported'],
    [
      'with r = 0',
      withSignature(bare('ecdsa-with-SHA256'), sequence(integer(0), integer(1))),
      'The number r of the signature is out of range',
    ],
    [
      'with s beyond the order',
      withSignature(bare('ecdsa-with-SHA256'), sequence(integer(1), integer(1n << 256n))),
      'The number s of the signature is out of range',
    ],
    ['in another encoding', withSignature(bare('ecdsa-with-SHA256'), new Uint8Array(64).fill(1)), 'not the DER of two numbers'],
    ['with parameters that it may not have', withSignature(withNull('ecdsa-with-SHA256'), new Uint8Array(70)), 'must be absent'],
    ['forged under the exponent 1', forged(), 'The RSA exponent is 1'],
  ],
  key: [
    ['RSA of 1024 bits', withKey(spkiOf(generateKeyPairSync('rsa', { modulusLength: 1024 }))), 'at least 2048 are required'],
    ['RSA of 16384 bits', rsaKey((1n << 16_383n) + 1n), 'at most 8192 are accepted'],
    ['RSA with the exponent 3', rsaKey(modulus, 3), 'The RSA exponent is 3'],
    ['RSA with an even exponent', rsaKey(modulus, 65_536), 'The RSA exponent is even'],
    ['RSA with an exponent beyond 256 bits', rsaKey(modulus, (1n << 300n) + 1n), 'more than 256 bits'],
    ['RSA with an even modulus', rsaKey(modulus - 1n), 'The RSA modulus is even'],
    ['RSA with a prime modulus', rsaKey(prime(2048)), 'The RSA modulus is a prime'],
    ['RSA with a square modulus', rsaKey(prime(1024) ** 2n), 'is the square of one number'],
    ['RSA with a small factor', rsaKey(prime(2041) * 751n), 'a factor below 752'],
    ['EC with explicit parameters', ecKey(sequence(integer(1)), point), 'explicit parameters are refused'],
    ['EC on an unknown curve', ecKey(oid('1.2.3'), point), 'The curve 1.2.3 is not known'],
    ['EC on P-192', ecKey(oid(OIDS['P-192']), new Uint8Array(49).fill(4)), 'P-192 has less than 256 bits'],
    ['EC off the curve', ecKey(oid(OIDS['P-256']), changedPoint(4, (point.at(-1) ?? 0) ^ 1)), 'The point is not on P-256'],
    ['EC at infinity', ecKey(oid(OIDS['P-256']), Uint8Array.of(0)), 'the point at infinity'],
    ['EC in hybrid form', ecKey(oid(OIDS['P-256']), changedPoint(6 + ((point.at(-1) ?? 0) & 1))), 'hybrid form'],
    [
      'EC compressed',
      withKey(ecPublicKey('P-256', Buffer.concat([Buffer.of(2 + ((point.at(-1) ?? 0) & 1)), point.subarray(1, 33)]))),
      'a compressed point',
    ],
    ['Ed25519 of small order', rawKey(OIDS.Ed25519, Buffer.alloc(32)), 'a point of small order'],
    ['Ed25519 above the prime', rawKey(OIDS.Ed25519, Buffer.from(`f0${'ff'.repeat(30)}7f`, 'hex')), 'not in its one canonical encoding'],
    ['Ed25519 of 31 bytes', rawKey(OIDS.Ed25519, Buffer.alloc(31)), 'has 32 bytes, not 31'],
    [
      'ML-KEM, which cannot sign',
      withKey(generateKeyPairSync('ml-kem-768').publicKey.export({ type: 'spki', format: 'der' })),
      'cannot sign',
    ],
    [
      'ML-DSA with parameters',
      withKey(sequence(sequence(oid(OIDS['ML-DSA-44']), nullValue()), bitString(Buffer.alloc(1312)))),
      'ML-DSA-44 must be absent',
    ],
    ['of an unknown kind', rawKey('1.2.3', Buffer.alloc(3)), 'The key algorithm 1.2.3 is not known'],
  ],
  encoding: [
    ['of version 3', signed(sequence(integer(2), subject, spki, implicitConstructed(0))), 'must be 1, written 0'],
    ['with bytes behind it', concat(good, Uint8Array.of(0, 0)), '2 items'],
    [
      'of indefinite length',
      Buffer.concat([Buffer.of(0x30, 0x80), good.subarray(3), Buffer.of(0, 0)]),
      'Indefinite lengths are not allowed',
    ],
    [
      'with a length that is not minimal',
      Buffer.concat([Buffer.of(0x30, 0x82, 0, good.length - 3), good.subarray(3)]),
      'needless leading zero',
    ],
    ['with an integer that is not minimal', signed(sequence(Uint8Array.of(2, 2, 0, 0), subject, spki, implicitConstructed(0))), 'INTEGER'],
    ['with a boolean that is neither', withExtension(OIDS.basicConstraints, sequence(Uint8Array.of(1, 1, 1))), 'BOOLEAN'],
    ['with FALSE written out', withExtension(OIDS.basicConstraints, sequence(boolean(false))), 'FALSE is the default'],
    ['with a constructed string', withAttributes(sequence(oid('1.2.3'), setOf(Uint8Array.of(0x24, 4, 4, 2, 1, 1)))), 'constructed'],
    [
      'of great depth',
      withAttributes(sequence(oid('1.2.3'), setOf(Array.from({ length: 60 }).reduce<Uint8Array>((inner) => sequence(inner), nullValue())))),
      'deep',
    ],
    ['that ends too early', good.subarray(0, 100), 'claims'],
    ['with a broken object identifier', replaced('06035504030c', '06035504830c'), 'OBJECT IDENTIFIER'],
    [
      'with an unsorted name',
      signed(
        sequence(
          integer(0),
          sequence(set(sequence(oid(OIDS.commonName), utf8String('b')), sequence(oid(OIDS.commonName), utf8String('a')))),
          spki,
          implicitConstructed(0),
        ),
      ),
      'ascending order',
    ],
    [
      'with an extension twice',
      withAttributes(
        sequence(
          oid(OIDS.extensionRequest),
          setOf(sequence(...Array.from({ length: 2 }, () => encodeExtension({ type: 'ocspNoCheck', critical: false })))),
        ),
      ),
      'stands twice',
    ],
    [
      'with two extension requests',
      withAttributes(
        ...[OIDS.extensionRequest, OIDS.microsoftExtensionRequest].map((id) =>
          sequence(oid(id), setOf(sequence(encodeExtension({ type: 'ocspNoCheck', critical: false })))),
        ),
      ),
      'in two attributes',
    ],
    [
      'with something behind the attributes',
      signed(sequence(integer(0), subject, spki, implicitConstructed(0), explicit(1, nullValue()))),
      'after the last field',
    ],
    [
      'with 65 parts of the subject',
      signed(
        sequence(
          integer(0),
          sequence(...Array.from({ length: 65 }, () => set(sequence(oid(OIDS.commonName), utf8String('a'))))),
          spki,
          implicitConstructed(0),
        ),
      ),
      'more than 64 parts of the subject',
    ],
    [
      'with 65 attributes',
      withAttributes(...Array.from({ length: 65 }, (_, at) => sequence(oid(`1.2.${at}`), setOf(nullValue())))),
      'more than 64 attributes',
    ],
    [
      'with 65 extensions',
      withAttributes(
        sequence(
          oid(OIDS.extensionRequest),
          setOf(sequence(...Array.from({ length: 65 }, (_, at) => sequence(oid(`1.2.${at}`), octetString(nullValue()))))),
        ),
      ),
      'more than 64 extensions',
    ],
    ['with an empty key usage', withExtension(OIDS.keyUsage, Uint8Array.of(3, 1, 0)), 'The key usage is empty'],
    ['of 300 KB', withAttributes(sequence(oid('1.2.3'), setOf(octetString(new Uint8Array(300_000))))), 'at most 262144'],
    ['beside another', pem(good) + pem(good), 'There are 2 items'],
    ['beside a private key', pem(good) + ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 'items'],
    ['that is a private key', ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 'Keep it secret'],
  ],
}

describe('a request that asks for very much', () => {
  const many = (count: number) =>
    signed(
      buildCsrInfo({
        subject: nameOf(['CN', 'a.example']),
        publicKey: spki,
        requestedExtensions: [
          {
            type: 'subjectAltName',
            critical: false,
            names: Array.from({ length: count }, (_, at) => ({ type: 'dNSName', value: at.toString(36) })),
          },
        ],
      }),
    )

  test('is refused before anybody judges its names', () => {
    expect(readRequest(pem(many(14_000)))).toEqual({
      faults: [
        {
          code: 'csrTooLong',
          field: 'csr',
          severity: 'error',
          says: 'The request asks for 14001 names and usages. Ask for at most 1000',
          params: { asked: 14_001, most: 1_000 },
        },
      ],
    })
  })

  test('is read up to a thousand names', () => {
    expect(readRequest(pem(many(999)))).toMatchObject({ key: 'P-256' })
  })
})

test('a good request is read', () => {
  expect(readRequest(pem(good))).toMatchObject({ key: 'P-256', keyText: 'EC P-256', findings: [] })
})

describe.each(Object.entries(CLASSES))('a request with a bad %s', (_, cases) => {
  test.each(cases)('%s is refused with its own reason', (_name, request, reason) => {
    const read = readRequest(typeof request === 'string' ? request : pem(request))
    const faults = 'faults' in read ? read.faults : []
    expect(faults.map(({ field }) => field)).toEqual(faults.map(() => 'csr'))
    expect(faults.map(({ says }) => says).join(' ')).toContain(reason)
  })
})

test('an SmtpUTF8Mailbox is not taken for a user principal name', () => {
  const names = [{ type: 'otherName' as const, typeId: OIDS.smtpUtf8Mailbox, value: utf8String('ada@example.org') }]
  const read = readRequest(
    pem(
      signed(
        buildCsrInfo({
          subject: nameOf(['CN', 'a.example']),
          publicKey: spki,
          requestedExtensions: [{ type: 'subjectAltName', critical: false, names }],
        }),
      ),
    ),
  )
  expect('details' in read && [read.details.sans, read.details.nameFaults]).toEqual([
    [],
    [expect.stringMatching(/SmtpUTF8Mailbox.* no user principal name/i)],
  ])
})
