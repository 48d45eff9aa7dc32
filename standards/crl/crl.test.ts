import fc from 'fast-check'
import { X509Certificate, createPublicKey, verify } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { DerError } from '../der/reader.ts'
import { integer, sequence, time } from '../der/writer.ts'
import { assembleSigned } from '../x509/certificate.ts'
import { encodeExtensions } from '../x509/extensions.ts'
import { encodeGeneralNames } from '../x509/general-names.ts'
import { encodeName, formatName, nameOf, parseName, type Name } from '../x509/names.ts'
import { OIDS } from '../x509/oids.ts'
import { buildTbsCertList, type TbsCertListInput } from './certificate-list.ts'
import { crlEntryPacker, packCrlEntries, type CrlEntry } from './entries.ts'
import { openSslFolder, type KeyKind, type OpenSslCertificate } from './openssl-authority.fixture.ts'
import { parseCrl } from './parse.ts'
import { REVOCATION_REASONS, isRevocationReason } from './reasons.ts'

const folder = openSslFolder()
afterAll(() => folder.remove())

const authority = folder.authority('Test CA', 'P-256')
const serial = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
const hexOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')
const thisUpdate = new Date('2024-03-01T12:00:00Z')
const nextUpdate = new Date('2036-03-08T12:00:00Z')
const revocationDate = new Date('2024-02-28T08:15:30Z')

type Overrides = Partial<Omit<TbsCertListInput, 'signatureAlgorithm' | 'issuer' | 'authorityKeyIdentifier'>>

async function listBy(by: OpenSslCertificate, overrides: Overrides = {}): Promise<Uint8Array> {
  const tbs = await buildTbsCertList({
    signatureAlgorithm: by.signatureAlgorithm,
    issuer: by.subject,
    authorityKeyIdentifier: by.subjectKeyIdentifier,
    thisUpdate,
    nextUpdate,
    crlNumber: 1n,
    entries: [],
    ...overrides,
  })
  return assembleSigned(tbs, by.signatureAlgorithm, by.sign(tbs))
}

describe('a list of ours in the eyes of OpenSSL', () => {
  test.each<KeyKind>(['P-256', 'P-384', 'RSA', 'Ed25519'])(
    'verifies under a %s key, and a revoked certificate fails its chain',
    async (kind) => {
      const ca = folder.authority(`CA ${kind}`, kind)
      const good = folder.issue(`good ${kind}`, ca, 'P-256')
      const bad = folder.issue(`bad ${kind}`, ca, 'P-256')
      folder.write(
        `${kind}.crl`,
        await listBy(ca, { entries: [{ serialNumber: bad.serialNumber, revocationDate, reason: 'keyCompromise' }] }),
      )
      folder.run('openssl', 'crl', '-inform', 'DER', '-in', `${kind}.crl`, '-out', `${kind}.pem`)

      expect(folder.ask('openssl', 'crl', '-inform', 'DER', '-in', `${kind}.crl`, '-CAfile', `${ca.name}.pem`, '-noout')).toMatchObject({
        ok: true,
        text: expect.stringContaining('verify OK'),
      })
      const check = (name: string) =>
        folder.ask('openssl', 'verify', '-CAfile', `${ca.name}.pem`, '-CRLfile', `${kind}.pem`, '-crl_check', `${name}.pem`)
      expect(check(good.name)).toMatchObject({ ok: true })
      expect(check(bad.name)).toMatchObject({ ok: false, text: expect.stringContaining('certificate revoked') })
    },
  )

  test('shows every reason, date and number', async () => {
    const names = Object.keys(REVOCATION_REASONS).filter(isRevocationReason)
    const entries = names.map((reason, index): CrlEntry => ({
      serialNumber: Uint8Array.of(0x80 + index),
      revocationDate,
      reason,
      invalidityDate: new Date('2023-12-24T00:00:00Z'),
    }))
    folder.write('reasons.crl', await listBy(authority, { entries, crlNumber: 4711n }))
    const text = folder.run('openssl', 'crl', '-inform', 'DER', '-in', 'reasons.crl', '-noout', '-text')
    expect(text).toContain('Version 2')
    expect(text).toMatch(/CRL Number: \n\s+4711/)
    expect(text.match(/Revocation Date: Feb 28 08:15:30 2024 GMT/g)).toHaveLength(10)
    expect(text.match(/Dec 24 00:00:00 2023 GMT/g)).toHaveLength(10)
    // Unspecified is said by leaving the reason out.
    expect(text.match(/CRL Reason Code/g)).toHaveLength(9)
    for (const words of [
      'Key Compromise',
      'CA Compromise',
      'Affiliation Changed',
      'Superseded',
      'Cessation Of Operation',
      'Certificate Hold',
      'Remove From CRL',
      'Privilege Withdrawn',
      'AA Compromise',
    ]) {
      expect(text).toContain(words)
    }
  })

  test('shows parts and deltas', async () => {
    const uri = 'http://pki.example.org/crl/7/2.crl'
    folder.write(
      'part.crl',
      await listBy(authority, {
        crlNumber: 9n,
        deltaBase: 8n,
        issuingDistributionPoint: { uris: [uri], onlyContainsUserCerts: true },
        freshestCrlUris: ['http://pki.example.org/delta.crl'],
      }),
    )
    const text = folder.run('openssl', 'crl', '-inform', 'DER', '-in', 'part.crl', '-noout', '-text')
    expect(text).toMatch(/Issuing Distribution Point: critical/)
    expect(text).toContain(`URI:${uri}`)
    expect(text).toContain('Only User Certificates')
    expect(text).toMatch(/Delta CRL Indicator: critical\n\s+8/)
    expect(text).toMatch(/Freshest CRL: \n.*\n\s+URI:http:\/\/pki.example.org\/delta.crl/)
    expect(text).toContain('No Revoked Certificates')
  })

  test('is read by GnuTLS too', async () => {
    folder.write(
      'gnutls.crl',
      await listBy(authority, { entries: [{ serialNumber: serial('7f01'), revocationDate, reason: 'superseded' }] }),
    )
    const text = folder.run('certtool', '--crl-info', '--inder', '--infile', 'gnutls.crl')
    expect(text).toContain('Serial Number (hex): 7f01')
    expect(text).toContain('Revoked certificates (1):')
  })
})

describe('reading a list', () => {
  test('gives back what was written', async () => {
    const entries: CrlEntry[] = [
      { serialNumber: serial('00ff'), revocationDate, reason: 'certificateHold' },
      { serialNumber: serial('01'), revocationDate: new Date('2055-01-01T00:00:00Z'), invalidityDate: new Date('2054-06-01T01:02:03Z') },
      { serialNumber: serial('ff'.repeat(20)), revocationDate },
    ]
    const der = await listBy(authority, {
      entries,
      crlNumber: 1n << 100n,
      issuingDistributionPoint: { uris: ['http://a.example/1', 'http://a.example/2'], onlyContainsCaCerts: true },
    })
    const crl = parseCrl(der)
    expect(crl).toMatchObject({
      version: 2,
      thisUpdate,
      nextUpdate,
      crlNumber: 1n << 100n,
      entryCount: 3,
      issuingDistributionPoint: {
        uris: ['http://a.example/1', 'http://a.example/2'],
        onlyContainsCaCerts: true,
        onlyContainsUserCerts: false,
        indirectCrl: false,
      },
      unknownCritical: [],
      signatureAlgorithm: 'ecdsa-with-SHA256',
    })
    expect(
      [...crl.entries()].map((entry) => [hexOf(entry.serialNumber), entry.revocationDate, entry.reason, entry.invalidityDate]),
    ).toEqual([
      ['ff', revocationDate, 'certificateHold', undefined],
      ['01', new Date('2055-01-01T00:00:00Z'), 'unspecified', new Date('2054-06-01T01:02:03Z')],
      ['ff'.repeat(20), revocationDate, 'unspecified', undefined],
    ])
    expect(hexOf(crl.encodedIssuer)).toBe(hexOf(authority.subject))
    expect(hexOf(crl.authorityKeyIdentifier)).toBe(hexOf(authority.subjectKeyIdentifier))
    expect(verify('sha256', crl.tbsCertList, createPublicKey(authority.key), crl.signature)).toBe(true)
  })

  test('finds an entry by its serial number, however many zeros stand before it', async () => {
    const crl = parseCrl(
      await listBy(authority, { entries: [1, 200, 3].map((number) => ({ serialNumber: Uint8Array.of(number), revocationDate })) }),
    )
    expect(hexOf(crl.find(serial('0000c8'))?.serialNumber)).toBe('c8')
    expect(crl.find(serial('02'))).toBeUndefined()
  })

  test('takes a name as text as well as in DER', async () => {
    const [fromDer, fromName] = await Promise.all(
      [authority.subject, parseName(authority.subject)].map((issuer) =>
        buildTbsCertList({
          signatureAlgorithm: authority.signatureAlgorithm,
          issuer,
          authorityKeyIdentifier: Buffer.alloc(20),
          thisUpdate,
          nextUpdate,
          crlNumber: 1n,
          entries: [],
        }),
      ),
    )
    expect(hexOf(fromName)).toBe(hexOf(fromDer))
  })

  test('reads the lists that OpenSSL makes', () => {
    folder.write(
      'ca.cnf',
      '[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ncrlnumber=crlnumber\ndefault_md=sha256\ndefault_crl_days=7\ncrl_extensions=x\n[x]\nauthorityKeyIdentifier=keyid,issuer:always\n',
    )
    folder.write(
      'index.txt',
      'R\t360101000000Z\t260102030405Z,keyCompromise\t0A0B\tunknown\t/CN=x\nR\t360101000000Z\t260102030405Z\t0C\tunknown\t/CN=y\n',
    )
    folder.write('crlnumber', '1F\n')
    folder.run(
      'openssl',
      'ca',
      '-config',
      'ca.cnf',
      '-gencrl',
      '-cert',
      `${authority.name}.pem`,
      '-keyfile',
      `${authority.name}.key`,
      '-out',
      'theirs.pem',
    )
    folder.run('openssl', 'crl', '-in', 'theirs.pem', '-outform', 'DER', '-out', 'theirs.crl')
    const crl = parseCrl(folder.read('theirs.crl'))
    expect(crl.crlNumber).toBe(31n)
    expect([...crl.entries()].map((entry) => [hexOf(entry.serialNumber), entry.reason])).toEqual([
      ['0c', 'unspecified'],
      ['0a0b', 'keyCompromise'],
    ])
    expect(crl.find(serial('0a0b'))?.revocationDate).toEqual(new Date('2026-01-02T03:04:05Z'))
  })

  test('of any entries gives them back, packed before or not', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            serialNumber: fc.uint8Array({ minLength: 1, maxLength: 20 }).filter((bytes) => bytes.some((byte) => byte !== 0)),
            revocationDate: fc.integer({ min: 0, max: 4_000_000_000 }).map((second) => new Date(second * 1000)),
            reason: fc.constantFrom('unspecified' as const, 'keyCompromise' as const, 'privilegeWithdrawn' as const),
            invalidityDate: fc.option(
              fc.integer({ min: 0, max: 4_000_000_000 }).map((second) => new Date(second * 1000)),
              { nil: undefined },
            ),
          }),
          { maxLength: 30 },
        ),
        fc.nat(30),
        async (entries, split) => {
          const der = await listBy(authority, { entries: [packCrlEntries(entries.slice(0, split)), ...entries.slice(split)] })
          const read = [...parseCrl(der).entries()]
          const big = (bytes: Uint8Array) => BigInt(`0x${hexOf(bytes)}`)
          expect(read.map((entry) => ({ ...entry, serialNumber: big(entry.serialNumber) }))).toEqual(
            entries.map((entry) => ({ ...entry, serialNumber: big(entry.serialNumber), negative: false })),
          )
        },
      ),
      { numRuns: 50 },
    ))
})

describe('an indirect list', () => {
  const other = parseName(encodeName(nameOf(['O', 'Elsewhere'], ['CN', 'Other CA'])))
  const criticalIssuer = (name: Name) =>
    encodeExtensions([
      {
        type: 'unknown',
        oid: OIDS.certificateIssuer,
        critical: true,
        value: sequence(encodeGeneralNames([{ type: 'directoryName', name }])),
      },
    ])
  const entry = (number: number, name?: Name) =>
    sequence(integer(number), time(revocationDate), ...(name === undefined ? [] : [criticalIssuer(name)]))
  const entries = [entry(1), entry(2, other), entry(1), entry(3, parseName(authority.subject))]

  test('is read with the issuer of each entry, which stays until another is named, as OpenSSL reads it', async () => {
    const der = await listBy(authority, { entries, issuingDistributionPoint: { indirectCrl: true } })
    const crl = parseCrl(der)
    expect(
      [...crl.entries()].map(({ serialNumber, certificateIssuer }) => [
        hexOf(serialNumber),
        certificateIssuer && formatName(parseName(certificateIssuer)),
      ]),
    ).toEqual([
      ['01', undefined],
      ['02', formatName(other)],
      ['01', formatName(other)],
      ['03', undefined],
    ])
    expect(crl.find(serial('01'))?.certificateIssuer).toBeUndefined()
    expect(crl.find(serial('02'))).toBeUndefined()
    expect(hexOf(crl.find(serial('02'), encodeName(other))?.serialNumber)).toBe('02')
    expect(crl.find(serial('03'), encodeName(other))).toBeUndefined()
    folder.write('indirect.crl', der)
    const text = folder.run('openssl', 'crl', '-inform', 'DER', '-in', 'indirect.crl', '-noout', '-text')
    expect(text).toContain('Indirect CRL')
    expect(text.match(/X509v3 Certificate Issuer: critical/g)).toHaveLength(2)
  })

  test('that does not say that it is one is refused', async () => {
    const der = await listBy(authority, { entries })
    expect(() => parseCrl(der)).toThrow(/critical extension 2\.5\.29\.29 of an entry is not known/)
  })
})

describe('what a list cannot hold is refused', () => {
  test.each<[string, Overrides, string]>([
    ['a serial number of zero', { entries: [{ serialNumber: Uint8Array.of(0), revocationDate }] }, 'serialNumber'],
    ['no serial number', { entries: [{ serialNumber: new Uint8Array(0), revocationDate }] }, 'serialNumber'],
    ['a serial number of 21 bytes', { entries: [{ serialNumber: new Uint8Array(21).fill(1), revocationDate }] }, 'serialNumber'],
    ['a revocation at no time', { entries: [{ serialNumber: Uint8Array.of(1), revocationDate: new Date(Number.NaN) }] }, 'revocationDate'],
    ['an end before the beginning', { nextUpdate: thisUpdate }, 'nextUpdate'],
    ['a negative number', { crlNumber: -1n }, 'crlNumber'],
    ['a number past 20 bytes', { crlNumber: 1n << 159n }, 'crlNumber'],
    ['a delta on itself', { crlNumber: 5n, deltaBase: 5n }, 'deltaBase'],
    ['an empty distribution point', { issuingDistributionPoint: {} }, 'issuingDistributionPoint'],
  ])('%s', async (_what, overrides, field) => {
    await expect(listBy(authority, overrides)).rejects.toThrow(RangeError)
    await expect(listBy(authority, overrides)).rejects.toThrow(field)
  })
})

function readOr<Result>(refusal: new (...given: never[]) => Error, read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof refusal) return undefined
    throw error
  }
}

describe('hostile bytes', () => {
  test('every beginning and every changed bit is refused or read, and never anything else', async () => {
    const entries: CrlEntry[] = [
      { serialNumber: serial('80aa'), revocationDate, reason: 'keyCompromise', invalidityDate: revocationDate },
      { serialNumber: serial('01'), revocationDate },
    ]
    const der = await listBy(authority, {
      entries,
      deltaBase: 0n,
      issuingDistributionPoint: { uris: ['http://a'], onlyContainsUserCerts: true },
    })
    const read = (bytes: Uint8Array) => [...parseCrl(bytes).entries()].length
    for (let length = 0; length < der.length; length += 1) expect(() => read(der.subarray(0, length))).toThrow(DerError)
    expect(() => read(Buffer.concat([der, Uint8Array.of(0)]))).toThrow(DerError)
    let refused = 0
    for (let bit = 0; bit < der.length * 8; bit += 1) {
      const changed = Uint8Array.from(der)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      try {
        read(changed)
      } catch (error) {
        if (!(error instanceof DerError)) throw error
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(der.length)
  })

  test('an entry with any byte of it changed to any other is counted only if it can be read', async () => {
    const entries: CrlEntry[] = [
      { serialNumber: serial('80aa'), revocationDate, reason: 'keyCompromise' },
      {
        serialNumber: serial('02'),
        revocationDate: new Date('2050-12-31T23:59:59Z'),
        reason: 'superseded',
        invalidityDate: new Date('2023-02-28T00:00:00Z'),
      },
      { serialNumber: serial('01'), revocationDate },
    ]
    const der = await listBy(authority, { entries })
    const first = Buffer.from(der).indexOf(Buffer.from('02030080aa', 'hex')) - 2
    const behind = Buffer.from(der).indexOf(Buffer.from('020101170d', 'hex')) + 3 + 15
    let counted = 0
    for (let at = first; at < behind; at += 1) {
      for (let value = 0; value < 256; value += 1) {
        const changed = Uint8Array.from(der)
        changed[at] = value
        const crl = readOr(DerError, () => parseCrl(changed))
        if (crl === undefined) continue
        counted += 1
        const read = [...crl.entries()]
        expect(read).toHaveLength(crl.entryCount)
        for (const { serialNumber, negative } of read)
          expect(hexOf(crl.find(serialNumber, undefined, negative)?.serialNumber)).toBe(hexOf(serialNumber))
      }
    }
    // Any digit in its place, any serial number, any reason.
    expect(counted).toBeGreaterThan(500)
    expect(counted).toBeLessThan(((behind - first) * 256) / 8)
  })

  test('a fault names the entry', async () => {
    const der = Buffer.from(
      await listBy(authority, {
        entries: [
          { serialNumber: serial('01'), revocationDate },
          { serialNumber: serial('02'), revocationDate, reason: 'superseded' },
        ],
      }),
    )
    const at = der.indexOf(Buffer.from('0a0104', 'hex'))
    der.writeUInt8(7, at + 2)
    expect(() => parseCrl(der)).toThrow(
      /^tbsCertList\.revokedCertificates\[1\]\.crlEntryExtensions\(reasonCode\): The number is no reason for revocation \(byte \d+\)$/,
    )
  })

  test('a certificate is no list', () => {
    expect(() => parseCrl(new X509Certificate(folder.read(`${authority.name}.pem`)).raw)).toThrow(DerError)
  })

  test('a list longer than asked for is not looked at', async () => {
    const der = await listBy(authority)
    expect(() => parseCrl(der, { maxBytes: 100 })).toThrow('at most 100')
  })
})

test('two hundred thousand entries are packed, joined and read back without an object each', async () => {
  const COUNT = 200_000
  const packer = crlEntryPacker()
  const serialNumber = Buffer.alloc(16, 0x55)
  for (let index = 0; index < COUNT; index += 1) {
    serialNumber.writeUInt32BE(index + 1, 12)
    packer.add({ serialNumber, revocationDate: new Date(revocationDate.getTime() + index * 1000), reason: 'superseded' })
  }
  const packed = packer.bytes()
  expect(packed.length / COUNT).toBeLessThan(50)
  const crl = parseCrl(await listBy(authority, { entries: [packed] }))
  expect(crl.entryCount).toBe(COUNT)
  serialNumber.writeUInt32BE(COUNT, 12)
  expect(crl.find(serialNumber)?.reason).toBe('superseded')
})
