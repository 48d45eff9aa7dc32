import { generateKeyPairSync } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { octetString, sequence, setOf, utf8String } from '../der/writer.ts'
import { signWith } from './algorithms.ts'
import { assembleSigned, buildTbsCertificate, fingerprint, parseCertificate } from './certificate.ts'
import { buildCsrInfo, parseCsr } from './csr.ts'
import { describeDer } from './describe-der.ts'
import { describe as describeParsed } from './describe.ts'
import type { DescribedField } from './described-field.ts'
import { nameOf } from './names.ts'
import { OIDS } from './oids.ts'
import { opensslFolder } from './openssl-keys.fixture.ts'

const folder = opensslFolder()
afterAll(() => folder.remove())
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const spki = publicKey.export({ type: 'spki', format: 'der' })
const signed = (tbs: Uint8Array): Uint8Array => assembleSigned(tbs, 'ecdsa-with-SHA256', signWith('ecdsa-with-SHA256', privateKey, tbs))
const certificate = parseCertificate(
  signed(
    buildTbsCertificate({
      serialNumber: Uint8Array.of(0xff, 1),
      signatureAlgorithm: 'ecdsa-with-SHA256',
      issuer: nameOf(['C', 'NL'], ['CN', 'Root']),
      subject: nameOf(['CN', 'a\u202eb']),
      notBefore: new Date('2026-01-01'),
      notAfter: new Date('2026-04-01'),
      publicKey: spki,
      extensions: [
        { type: 'keyUsage', critical: true, usages: ['digitalSignature'] },
        { type: 'subjectAltName', critical: false, names: [{ type: 'dNSName', value: 'a.example' }] },
        { type: 'unknown', oid: '1.2.3.4', critical: false, value: utf8String('x') },
      ],
    }),
  ),
)

function find(field: DescribedField, ...path: string[]): DescribedField {
  const [label, ...rest] = path
  if (label === undefined) return field
  const child = field.children?.find((each) => each.label === label)
  if (child === undefined) throw new Error(`no ${label} in ${field.label}`)
  return find(child, ...rest)
}
function* walk(field: DescribedField): Iterable<DescribedField> {
  yield field
  for (const child of field.children ?? []) yield* walk(child)
}

describe('a certificate described', () => {
  const tree = describeParsed(certificate)
  test('has every field under its RFC name', () => {
    expect(find(tree, 'tbsCertificate').children?.map(({ label }) => label)).toEqual([
      'version',
      'serialNumber',
      'signature',
      'issuer',
      'validity',
      'subject',
      'subjectPublicKeyInfo',
      'extensions',
    ])
    expect(find(tree, 'tbsCertificate', 'serialNumber')).toMatchObject({ value: 'ff01', note: '65281 in decimal' })
    expect(find(tree, 'tbsCertificate', 'issuer').value).toBe('CN=Root,C=NL')
    expect(find(tree, 'tbsCertificate', 'validity', 'notAfter')).toMatchObject({ value: '2026-04-01T00:00:00Z', note: 'valid for 90 days' })
    expect(find(tree, 'tbsCertificate', 'extensions', 'keyUsage')).toMatchObject({
      note: 'critical',
      children: [{ label: 'digitalSignature' }],
    })
    expect(find(tree, 'tbsCertificate', 'extensions', 'subjectAltName', 'dNSName').value).toBe('a.example')
    expect(find(tree, 'tbsCertificate', 'extensions', '1.2.3.4').value).toBe('0c0178')
    expect(find(tree, 'fingerprints', 'SHA-256').value).toBe(fingerprint(certificate))
  })

  test('names no offset where openssl sees no value', () => {
    folder.write('certificate.der', certificate.encoded)
    const lines = folder.run('asn1parse', '-inform', 'DER', '-in', 'certificate.der').toString()
    const offsets = new Set([...lines.matchAll(/^ *(\d+):d=/gm)].map((match) => Number(match[1])))
    const own = [...walk(tree)].flatMap(({ offset }) => (offset === undefined ? [] : [offset]))
    expect(own.length).toBeGreaterThan(8)
    expect(own.filter((offset) => !offsets.has(offset))).toEqual([])
  })

  test('shows characters that change the direction of writing instead of obeying them', () => {
    expect(find(tree, 'tbsCertificate', 'subject').value).toBe('CN=a\\u{202e}b')
  })

  test('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(tree))).toEqual(tree)
  })
})

test('a request described shows what is asked for, but no challenge password', () => {
  const csr = parseCsr(
    signed(
      buildCsrInfo({
        subject: nameOf(['CN', 'a.example']),
        publicKey: spki,
        requestedExtensions: [{ type: 'subjectAltName', critical: false, names: [{ type: 'dNSName', value: 'a.example' }] }],
        attributes: [
          { type: OIDS.challengePassword, values: [utf8String('hunter2')] },
          { type: OIDS.unstructuredName, values: [utf8String('printer 7')] },
        ],
      }),
    ),
  )
  const tree = describeParsed(csr)
  const text = JSON.stringify(tree)
  expect(text).toContain('"dNSName","value":"a.example"')
  expect(text).toContain('printer 7')
  expect(text).not.toContain('hunter2')
  expect(find(tree, 'certificationRequestInfo', 'subjectPKInfo').value).toBe('EC P-256')
})

describe('any DER described', () => {
  test('has the tags, offsets and lengths that openssl sees', () => {
    folder.write('certificate.der', certificate.encoded)
    const lines = folder.run('asn1parse', '-inform', 'DER', '-in', 'certificate.der').toString()
    const seen = [...lines.matchAll(/^ *(\d+):d=.*? l= *(\d+) /gm)].map((match) => [Number(match[1]), Number(match[2])])
    const own = new Map([...walk(describeDer(certificate.encoded))].map(({ offset, note }) => [offset, Number.parseInt(note ?? '', 10)]))
    expect(seen.length).toBeGreaterThan(30)
    expect(seen.filter(([offset, length]) => own.get(offset) !== length)).toEqual([])
  })

  test('opens strings that hold DER, and leaves others as hex', () => {
    expect(describeDer(octetString(sequence(utf8String('inside')))).children?.[0]?.children?.[0]).toMatchObject({
      label: 'UTF8String',
      value: 'inside',
      offset: 4,
    })
    expect(describeDer(octetString(Uint8Array.of(0x30, 5, 1)))).toMatchObject({ label: 'OCTET STRING', value: '300501' })
  })

  test('is bounded in fields and in length of value', () => {
    const wide = describeDer(setOf(...Array.from({ length: 5000 }, () => utf8String('x'))), 100)
    expect(wide.children).toHaveLength(100)
    expect(wide.children?.at(-1)).toEqual({ label: '...', note: 'The rest is left out.' })
    expect(describeDer(octetString(new Uint8Array(5000))).value).toHaveLength(2051)
  })
})
