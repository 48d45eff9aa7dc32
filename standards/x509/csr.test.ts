import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { hexOf } from '../der/values.ts'
import {
  bitString,
  concat,
  implicitConstructed,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  set,
  setOf,
  utf8String,
} from '../der/writer.ts'
import { defaultSignatureAlgorithm, signWith } from './algorithms.ts'
import { assembleSigned } from './certificate.ts'
import { buildCsrInfo, parseCsr, verifyCsr, type Csr } from './csr.ts'
import { X509Error } from './error.ts'
import type { Extension } from './extension-types.ts'
import { encodeExtension } from './extensions.ts'
import { encodeName, formatName, nameOf } from './names.ts'
import { OIDS } from './oids.ts'
import { OPENSSL_KEY_NAMES, opensslFolder } from './openssl-keys.fixture.ts'
import { describeKey, parsePublicKey, rsaPublicKey } from './public-key.ts'

const folder = opensslFolder()
afterAll(() => folder.remove())
const names: Extension = {
  type: 'subjectAltName',
  critical: false,
  names: [
    { type: 'dNSName', value: 'a.example' },
    { type: 'iPAddress', value: '192.0.2.7' },
    { type: 'rfc822Name', value: 'ada@a.example' },
  ],
}

describe.each(OPENSSL_KEY_NAMES)('with a key of kind %s', (kind) => {
  const file = kind.replaceAll(' ', '-')
  const key = folder.key(file, kind)
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const algorithm = defaultSignatureAlgorithm(parsePublicKey(spki))

  test('what openssl requests is read and its proof of possession holds', () => {
    folder.write(
      'request.cnf',
      `[req]
prompt=no
distinguished_name=dn
attributes=at
req_extensions=ex
[dn]
C=NL
CN=a.example
[at]
challengePassword=secret words
[ex]
subjectAltName=DNS:a.example,IP:192.0.2.7,email:ada@a.example
`,
    )
    const der = folder.run('req', '-new', '-key', `${file}.key`, '-config', 'request.cnf', '-outform', 'DER')
    const csr = parseCsr(der)
    expect(formatName(csr.subject)).toBe('CN=a.example,C=NL')
    expect(describeKey(csr.publicKey)).toBe(kind)
    expect(csr.requestedExtensions).toEqual([names])
    expect(csr.attributes.map(({ type }) => type).toSorted()).toEqual([OIDS.extensionRequest, OIDS.challengePassword].toSorted())
    expect(verifyCsr(csr)).toEqual({ ok: true })
    expect(
      hexOf(
        buildCsrInfo({
          subject: csr.subject,
          publicKey: spki,
          requestedExtensions: csr.requestedExtensions,
          attributes: csr.attributes.filter(({ type }) => type === OIDS.challengePassword),
        }),
      ),
    ).toBe(hexOf(csr.info))
  })

  test('what we request is read and verified by openssl', () => {
    const info = buildCsrInfo({ subject: nameOf(['O', 'Ünion'], ['CN', 'b.example']), publicKey: spki, requestedExtensions: [names] })
    folder.writePem(`${file}.csr`, 'CERTIFICATE REQUEST', assembleSigned(info, algorithm, signWith(algorithm, key, info)))
    expect(() => folder.run('req', '-in', `${file}.csr`, '-noout', '-verify')).not.toThrow()
    const text = folder.run('req', '-in', `${file}.csr`, '-noout', '-text', '-nameopt', 'RFC2253,-esc_msb,utf8').toString()
    expect(text).toContain('Subject: CN=b.example,O=Ünion')
    expect(text).toContain('DNS:a.example, IP Address:192.0.2.7, email:ada@a.example')
  })
})

describe('what a stranger may not ask', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const subject = encodeName(nameOf(['CN', 'a.example']))
  const signed = (info: Uint8Array): Uint8Array =>
    assembleSigned(info, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, info))
  const request = (...attributes: Uint8Array[]): Uint8Array =>
    signed(sequence(integer(0), subject, spki, implicitConstructed(0, concat(...attributes))))
  const extensions = (...list: Uint8Array[]): Uint8Array => sequence(oid(OIDS.extensionRequest), setOf(sequence(...list)))
  const san = encodeExtension(names)

  test.each<[string, Uint8Array, string]>([
    [
      'an attribute twice',
      request(sequence(oid(OIDS.challengePassword), setOf(utf8String('a'))), sequence(oid(OIDS.challengePassword), setOf(utf8String('b')))),
      'certificationRequestInfo.attributes[1]: The attribute challengePassword (1.2.840.113549.1.9.7) stands twice',
    ],
    ['two extension requests', request(extensions(san), extensions(san)), 'stands twice'],
    [
      'extension requests of two vendors',
      request(extensions(san), sequence(oid(OIDS.microsoftExtensionRequest), setOf(sequence(san)))),
      'attributes[1]: Extensions are requested in two attributes',
    ],
    [
      'two values in one extension request',
      request(sequence(oid(OIDS.extensionRequest), set(sequence(san), sequence(san)))),
      'must have one value',
    ],
    ['an attribute without value', request(sequence(oid('1.2.3'), set())), 'attributes[0].values: The list must not be empty'],
    ['an empty extension request', request(extensions()), 'attributes[0].values[0]: The list must not be empty'],
    ['two alternative names', request(extensions(san, san)), 'The extension subjectAltName stands twice'],
    [
      'an alternative name without names',
      request(extensions(sequence(oid(OIDS.subjectAltName), octetString(sequence())))),
      'extnValue(subjectAltName): The list must not be empty',
    ],
    ['version 2', signed(sequence(integer(1), subject, spki, implicitConstructed(0))), 'certificationRequestInfo.version: The version'],
    [
      'something after the attributes',
      signed(sequence(integer(0), subject, spki, implicitConstructed(0), integer(1))),
      'Unexpected INTEGER after the last field',
    ],
    ['bytes after the request', concat(request(), Uint8Array.of(0)), '1 bytes follow the end of the value'],
    ['more than 256 KiB', request(sequence(oid('1.2.3'), setOf(octetString(new Uint8Array(256 * 1024))))), 'at most 262144 are read'],
  ])('%s is refused, naming the field', (_, der, message) => {
    expect(() => parseCsr(der)).toThrow(message)
  })

  test('attributes out of order, none at all, and an empty subject are taken', () => {
    const late = sequence(oid('1.2.3'), setOf(utf8String('z'.repeat(50))))
    expect(parseCsr(request(late, extensions(san))).requestedExtensions).toEqual([names])
    expect(parseCsr(signed(sequence(integer(0), sequence(), spki))).subject).toEqual([])
    expect(parseCsr(signed(buildCsrInfo({ subject: [], publicKey: spki }))).attributes).toEqual([])
  })

  test('a request signed by another key, changed afterwards, or by an unfit algorithm proves nothing', () => {
    const csr = parseCsr(request())
    const other = parsePublicKey(generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey.export({ type: 'spki', format: 'der' }))
    const rsa = parsePublicKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' }))
    const reasonOf = (change: Partial<Csr>): string => {
      const checked = verifyCsr({ ...csr, ...change })
      return checked.ok ? 'none' : checked.reason
    }
    expect(verifyCsr(csr)).toEqual({ ok: true })
    expect(reasonOf({ publicKey: other })).toContain('may not hold the private key')
    expect(reasonOf({ info: csr.info.map((byte, index) => (index === 20 ? byte ^ 1 : byte)) })).toContain('may not hold the private key')
    expect(reasonOf({ publicKey: rsa })).toBe('A key for RSA does not fit ecdsa-with-SHA256.')
    expect(reasonOf({ signatureAlgorithm: 'ecdsa-with-SHA1' })).toBe('The signature algorithm ecdsa-with-SHA1 is too weak.')
  })

  test.each(['x25519', 'x448', 'ml-kem-768'])('a key for %s cannot sign its own request, whoever signs it', (type) => {
    // The overloads of generateKeyPairSync take one literal each.
    const { publicKey } = generateKeyPairSync(type as 'x25519')
    const csr = parseCsr(
      signed(buildCsrInfo({ subject: nameOf(['CN', 'a']), publicKey: publicKey.export({ type: 'spki', format: 'der' }) })),
    )
    expect(verifyCsr(csr)).toMatchObject({ ok: false, reason: expect.stringContaining('cannot sign, so the request cannot prove') })
  })

  test('a signature that OpenSSL verifies although nobody needed a private key for it proves nothing', () => {
    // With the exponent 1 a signature is the padded hash itself (RFC 8017 8.2.1 and 9.2).
    const modulus = Buffer.from(
      parsePublicKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' })).modulus ?? [],
    )
    const info = buildCsrInfo({ subject: nameOf(['CN', 'forged']), publicKey: rsaPublicKey(modulus, 1n) })
    const digestInfo = sequence(sequence(oid(OIDS.sha256), nullValue()), octetString(createHash('sha256').update(info).digest()))
    const padded = Buffer.concat([Buffer.of(0, 1), Buffer.alloc(256 - 3 - digestInfo.length, 0xff), Buffer.of(0), digestInfo])
    const forged = parseCsr(assembleSigned(info, 'sha256WithRSAEncryption', padded))
    expect(verify('sha256', info, createPublicKey({ key: Buffer.from(forged.publicKey.spki), format: 'der', type: 'spki' }), padded)).toBe(
      true,
    )
    expect(verifyCsr(forged)).toEqual({ ok: false, reason: 'The RSA exponent is 1, which signs and encrypts nothing.' })

    // With the neutral point as key, R = neutral and S = 0 fit every message (RFC 8032 5.1.7).
    const neutral = Buffer.from(`01${'00'.repeat(31)}`, 'hex')
    const own = buildCsrInfo({ subject: nameOf(['CN', 'forged']), publicKey: sequence(sequence(oid(OIDS.Ed25519)), bitString(neutral)) })
    const nothing = Buffer.concat([neutral, Buffer.alloc(32)])
    const small = parseCsr(assembleSigned(own, 'Ed25519', nothing))
    expect(verifyCsr(small)).toEqual({ ok: false, reason: 'The Ed25519 key is a point of small order.' })
  })

  test('a huge RSA key is refused before it can cost time', () => {
    const csr = { ...parseCsr(request()), signatureAlgorithm: 'sha256WithRSAEncryption' as const }
    const huge = (exponent: bigint) => parsePublicKey(rsaPublicKey(new Uint8Array(2048).fill(0xff), exponent))
    expect(verifyCsr({ ...csr, publicKey: huge(65_537n) })).toEqual({
      ok: false,
      reason: 'The RSA key has 16384 bits; at most 8192 are accepted.',
    })
    expect(verifyCsr({ ...csr, publicKey: huge((1n << 16_000n) + 1n) })).toEqual({
      ok: false,
      reason: 'The RSA exponent has more than 256 bits.',
    })
  })

  test('an attribute twice cannot be built', () => {
    const attribute = { type: OIDS.challengePassword, values: [utf8String('x')] }
    expect(() => buildCsrInfo({ subject: [], publicKey: spki, attributes: [attribute, attribute] })).toThrow(X509Error)
  })
})
