import fc from 'fast-check'
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { DerError } from '../der/reader.ts'
import { bitString, explicit, implicitConstructed, integer, nullValue, octetString, oid, sequence } from '../der/writer.ts'
import { lintCertificate, lintCsr } from '../lint/lint.ts'
import { signWith } from './algorithms.ts'
import { assembleSigned, buildTbsCertificate, parseCertificate } from './certificate.ts'
import { buildCsrInfo, parseCsr } from './csr.ts'
import { describe as describeParsed } from './describe.ts'
import type { Extension } from './extension-types.ts'
import { userPrincipalName } from './general-names.ts'
import { nameOf } from './names.ts'
import { OIDS } from './oids.ts'
import { parsePublicKey } from './public-key.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const spki = publicKey.export({ type: 'spki', format: 'der' })
const extensions: Extension[] = [
  { type: 'basicConstraints', critical: true, cA: true, pathLenConstraint: 2 },
  { type: 'keyUsage', critical: true, usages: ['keyCertSign', 'cRLSign'] },
  {
    type: 'subjectAltName',
    critical: false,
    names: [
      { type: 'dNSName', value: 'xn--bcher-kva.example' },
      userPrincipalName('ada@x'),
      { type: 'directoryName', name: nameOf(['CN', 'x']) },
      { type: 'iPAddress', value: '::1' },
      { type: 'rfc822Name', value: 'a@b.example' },
    ],
  },
  {
    type: 'certificatePolicies',
    critical: false,
    policies: [
      {
        policyIdentifier: '1.2.3',
        policyQualifiers: [
          { type: 'cps', uri: 'http://a' },
          { type: 'userNotice', explicitText: { stringType: 'utf8String', value: 'é' } },
        ],
      },
    ],
  },
  {
    type: 'cRLDistributionPoints',
    critical: false,
    distributionPoints: [{ fullName: [{ type: 'uniformResourceIdentifier', value: 'http://a/' }], reasons: ['keyCompromise'] }],
  },
  { type: 'nameConstraints', critical: true, permittedSubtrees: [{ base: { type: 'iPAddress', value: '10.0.0.0/255.0.0.0' } }] },
  {
    type: 'qcStatements',
    critical: false,
    statements: [
      { type: 'qcLimitValue', currency: 'EUR', amount: 5, exponent: 3 },
      { type: 'qcPds', locations: [{ url: 'https://a', language: 'en' }] },
    ],
  },
  {
    type: 'signedCertificateTimestampList',
    critical: false,
    timestamps: [
      {
        version: 0,
        logId: new Uint8Array(32),
        timestamp: 1n,
        extensions: new Uint8Array(),
        hash: 4,
        signer: 3,
        signature: Uint8Array.of(1, 2),
      },
    ],
  },
  { type: 'microsoftCertificateTemplateName', critical: false, name: 'User' },
  { type: 'microsoftSecurityIdentifier', critical: false, sid: 'S-1-5-21-1' },
  {
    type: 'authorityKeyIdentifier',
    critical: false,
    keyIdentifier: Uint8Array.of(1),
    authorityCertIssuer: [{ type: 'directoryName', name: nameOf(['CN', 'x']) }],
    authorityCertSerialNumber: Uint8Array.of(200),
  },
]
const signed = (tbs: Uint8Array): Uint8Array => assembleSigned(tbs, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, tbs))
const certificate = signed(
  buildTbsCertificate({
    serialNumber: Uint8Array.of(1, 2),
    signatureAlgorithm: 'ecdsa-with-SHA256',
    issuer: nameOf(['C', 'NL'], ['CN', 'Ünicode']),
    subject: nameOf(['emailAddress', 'a@b.example'], ['CN', 'x']),
    notBefore: new Date('2026-01-01'),
    notAfter: new Date('2051-01-01'),
    publicKey: spki,
    extensions,
  }),
)
const request = signed(buildCsrInfo({ subject: nameOf(['CN', 'a']), publicKey: spki, requestedExtensions: extensions }))

const readers: [string, Uint8Array, (der: Uint8Array) => unknown][] = [
  ['a certificate', certificate, (der) => describeParsed(parseCertificate(der))],
  ['a request', request, (der) => describeParsed(parseCsr(der))],
]

function outcome(read: (der: Uint8Array) => unknown, der: Uint8Array): 'read' | 'refused' {
  try {
    read(der)
    return 'read'
  } catch (error) {
    if (error instanceof DerError) return 'refused'
    throw error
  }
}

describe.each(readers)('%s', (_, valid, read) => {
  test('is read and described whole', () => {
    expect(outcome(read, valid)).toBe('read')
  })

  test('cut off anywhere is refused', () => {
    for (let length = 0; length < valid.length; length += 1) expect(outcome(read, valid.subarray(0, length))).toBe('refused')
  })

  test('with any one bit changed is read or refused with a DerError, and linted without a throw', () => {
    const outcomes = { read: 0, refused: 0 }
    for (let bit = 0; bit < valid.length * 8; bit += 1) {
      const changed = valid.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      outcomes[outcome(read, changed)] += 1
      if (bit % 13 === 0) lintCertificate(changed).concat(lintCsr(changed))
    }
    expect(outcomes.read).toBeGreaterThan(0)
    expect(outcomes.refused).toBeGreaterThan(outcomes.read / 10)
  })

  test('with any length that lies is refused with a DerError', () => {
    // Every byte is taken for a length in turn: those that are none change a value, which may well be read.
    const lies = [0x00, 0x80, 0x84]
    const outcomes = { read: 0, refused: 0 }
    for (let at = 1; at < valid.length; at += 1) {
      for (const lie of lies) {
        const changed = valid.slice()
        changed[at] = lie
        outcomes[outcome(read, changed)] += 1
      }
    }
    expect(outcomes.refused).toBeGreaterThan(outcomes.read)
    for (const header of ['3080', '308101', '30820001', '30840000ffff', '3088ffffffffffffffff', '30ff', '3f', '3083']) {
      expect(outcome(read, Buffer.concat([Buffer.from(header, 'hex'), valid.subarray(4)]))).toBe('refused')
    }
  })

  test('with stretches replaced, removed or repeated is read or refused with a DerError', () => {
    const place = fc.nat(valid.length - 1)
    fc.assert(
      fc.property(place, fc.nat(40), fc.uint8Array({ maxLength: 40 }), (at, removed, inserted) => {
        const changed = Buffer.concat([valid.subarray(0, at), inserted, valid.subarray(at + removed)])
        return ['read', 'refused'].includes(outcome(read, changed))
      }),
      { numRuns: 2000 },
    )
  })
})

// Work that grows with the square of the input would run into the tests' own time limit, on any machine.
describe('input made to cost time or memory', () => {
  const expectRefusal = (run: () => unknown): void => {
    expect(run).toThrow(DerError)
  }
  test('a megabyte of opening brackets', () => {
    expectRefusal(() => parseCertificate(Buffer.alloc(1 << 20, '3080', 'hex')))
  })
  test('half a million empty values', () => {
    expectRefusal(() => parseCertificate(sequence(Buffer.alloc((1 << 20) - 100, '0500', 'hex'))))
  })
  test('a serial number and an RSA exponent of many kilobytes', () => {
    const long = integer(new Uint8Array(500_000).fill(0x7f))
    expectRefusal(() => parseCertificate(sequence(sequence(explicit(0, integer(2)), long), sequence(), octetString())))
    expectRefusal(() => parsePublicKey(sequence(sequence(oid(OIDS.rsaEncryption), nullValue()), bitString(sequence(integer(3), long)))))
  })
  test('tens of thousands of attributes in a request', () => {
    const attribute = Buffer.from('3007060355040a3100', 'hex')
    expectRefusal(() =>
      parseCsr(signed(sequence(integer(0), sequence(), spki, implicitConstructed(0, ...Array.from({ length: 20_000 }, () => attribute))))),
    )
  })
  test('a certificate with 20,000 alternative names is linted and described', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => ({ type: 'dNSName' as const, value: `host-${index}.xn--bcher-kva.example` }))
    const der = signed(
      buildTbsCertificate({
        serialNumber: Uint8Array.of(1),
        signatureAlgorithm: 'ecdsa-with-SHA256',
        issuer: nameOf(['CN', 'x']),
        subject: nameOf(['CN', 'y']),
        notBefore: new Date('2026-01-01'),
        notAfter: new Date('2026-02-01'),
        publicKey: spki,
        extensions: [{ type: 'subjectAltName', critical: false, names }],
      }),
    )
    expect(lintCertificate(der).some(({ severity }) => severity === 'fatal')).toBe(false)
    expect(describeParsed(parseCertificate(der))).toBeDefined()
  })
})
