// Inputs made to cost: each has to end by a count of work. The bounds checked are the counts; the processor time is looked at only to show that
// the counts are small enough.
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { countProcessor, referenceSeconds } from '../processor-time.fixture.ts'
import type { Certificate } from '../x509/certificate.ts'
import type { Extension } from '../x509/extension-types.ts'
import { nameOf } from '../x509/names.ts'
import {
  AT,
  authority,
  dns,
  directory,
  email,
  excluded,
  ip,
  leaf,
  newKey,
  permitted,
  policies,
  mappings,
  revocationList,
  sans,
  type Made,
} from './estate.fixture.ts'
import { verifyCertificate, type Verification, type VerificationInput } from './verify.ts'
import { WORK_LIMITS, type WorkKind } from './work.ts'

/** About a second on a server of 2026. */
const ALLOWED_REFERENCES = 100
const reference = referenceSeconds()
const WORK_KINDS = Object.keys(WORK_LIMITS) as WorkKind[]
const certificates = (made: readonly Made[]): Certificate[] => made.map(({ certificate }) => certificate)

function timed(input: Omit<VerificationInput, 'at'>): Verification {
  const seconds = countProcessor()
  const verification = verifyCertificate({ at: AT, ...input })
  expect(seconds()).toBeLessThan(ALLOWED_REFERENCES * reference)
  const { work, rejected } = verification
  expect(WORK_KINDS.filter((kind) => work[kind] > WORK_LIMITS[kind])).toEqual([])
  expect(rejected.length).toBeLessThanOrEqual(20)
  return verification
}

describe('pools in which paths multiply', () => {
  test('100 authorities of one name and one key, that certify each other', () => {
    const key = newKey()
    const same = Array.from({ length: 100 }, () => authority({ name: 'Same', key }))
    const end = leaf({ name: 'End', issuer: same[0] ?? authority({ name: 'Same', key }) })
    const { verdict } = timed({
      leaf: end.certificate,
      intermediates: certificates(same),
      roots: [authority({ name: 'Elsewhere' }).certificate],
    })
    expect(verdict).toBe('invalid')
  })

  test('100 authorities of one name, each with its own key', () => {
    const same = Array.from({ length: 100 }, () => authority({ name: 'Same' }))
    const [first = authority({ name: 'Same' })] = same
    const end = leaf({ name: 'End', issuer: first, without: ['authorityKeyIdentifier'] })
    expect(
      timed({
        leaf: end.certificate,
        intermediates: certificates(same.toReversed()),
        roots: [authority({ name: 'Elsewhere' }).certificate],
      }).verdict,
    ).toBe('invalid')
    // Key identifiers lead to the right one at once.
    const hinted = leaf({ name: 'End', issuer: first })
    const { verdict, work } = timed({ leaf: hinted.certificate, intermediates: [], roots: certificates(same.toReversed()) })
    expect([verdict, work.signatureChecks]).toEqual(['valid', 1])
  })

  test.each([8, 20, 30])('%i authorities, each certified by each', (count) => {
    const keys = Array.from({ length: count }, newKey)
    const self = keys.map((key, at) => authority({ name: `A${at}`, key }))
    const crossed = self.flatMap((issuer, by) => keys.flatMap((key, at) => (at === by ? [] : [authority({ name: `A${at}`, key, issuer })])))
    const end = leaf({ name: 'End', issuer: self[0] ?? authority({ name: 'A0' }) })
    const input = { leaf: end.certificate, intermediates: certificates(crossed) }
    const lost = timed({ ...input, roots: [authority({ name: 'Elsewhere' }).certificate] })
    expect(lost.verdict).toBe('invalid')
    expect(lost.gaveUp?.code).toBe('tooMuchWork')
    // A root that is there is found all the same.
    expect(timed({ ...input, roots: certificates(self.slice(-1)) }).verdict).toBe('valid')
  })

  test('a chain of 500 authorities', () => {
    let issuer = authority({ name: 'Root' })
    const roots = [issuer.certificate]
    const intermediates: Certificate[] = []
    for (let at = 0; at < 500; at += 1) intermediates.push((issuer = authority({ name: `A${at}`, issuer })).certificate)
    const { rejected } = timed({ leaf: leaf({ name: 'End', issuer }).certificate, intermediates, roots })
    expect(rejected[0]?.faults).toMatchObject([{ code: 'pathTooLong' }])
  })

  test('600 expired authorities of one name', () => {
    const key = newKey()
    const old = Array.from({ length: 600 }, () => authority({ name: 'Old', key, to: new Date('2026-02-01T00:00:00Z') }))
    const { verdict, omitted } = timed({
      leaf: leaf({ name: 'End', issuer: { ...authority({ name: 'Old', key }) } }).certificate,
      intermediates: certificates(old),
      roots: [authority({ name: 'Elsewhere' }).certificate],
    })
    expect(verdict).toBe('invalid')
    expect(omitted).toBeGreaterThan(100)
  })
})

describe('keys that are slow', () => {
  test('an RSA key of 16,384 bits is refused and never tried', () => {
    const huge = { asn1: Buffer.alloc(2_048, 0xff) }
    const key = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    const { n } = key.publicKey.export({ format: 'jwk' })
    expect(n).toBeDefined()
    const root = authority({ name: 'Root', key: key.privateKey, algorithm: 'sha256WithRSAEncryption' })
    const long: Certificate = { ...root.certificate, publicKey: { ...root.certificate.publicKey, modulus: huge.asn1, bits: 16_384 } }
    const { rejected } = timed({ leaf: leaf({ name: 'End', issuer: root }).certificate, intermediates: [], roots: [long] })
    expect(rejected[0]?.faults.map(({ code }) => code)).toContain('weakKey')
  })
})

describe('names and constraints that multiply', () => {
  const root = authority({ name: 'Root' })
  const many = (count: number, form: (at: number) => ReturnType<typeof dns>) => Array.from({ length: count }, (_, at) => form(at))
  const check = (constraints: Extension, names: ReturnType<typeof dns>[]) => {
    const limited = authority({ name: 'Limited', issuer: root, extensions: [constraints] })
    return timed({
      leaf: leaf({ name: 'End', issuer: limited, extensions: [sans(...names)] }).certificate,
      intermediates: [limited.certificate],
      roots: [root.certificate],
    })
  }

  test('10,000 hosts against 10,000 excluded hosts are looked up', () => {
    expect(
      check(
        excluded(...many(10_000, (at) => dns(`x${at}.example.org`))),
        many(10_000, (at) => dns(`y${at}.example.org`)),
      ).verdict,
    ).toBe('valid')
  })

  test('10,000 mailboxes against 10,000 permitted ones are looked up', () => {
    expect(
      check(
        permitted(...many(10_000, (at) => email(`x${at}@example.org`))),
        many(10_000, (at) => email(`x${at}@example.org`)),
      ).verdict,
    ).toBe('valid')
  })

  test('10,000 directory names against 10,000 are looked up', () => {
    const names = many(5_000, (at) => directory(['O', 'Verify'], ['CN', `x${at}`]))
    expect(
      check(
        excluded(...names),
        many(5_000, (at) => directory(['O', 'Verify'], ['CN', `y${at}`])),
      ).verdict,
    ).toBe('valid')
  })

  test('5,000 IP addresses against 5,000 ranges are given up', () => {
    const range = (at: number) => ip(`10.${at >> 8}.${at & 255}.0/255.255.255.0`)
    const { verdict, gaveUp } = check(
      excluded(...many(5_000, range)),
      many(5_000, (at) => ip(`192.168.${at >> 8}.${at & 255}`)),
    )
    expect([verdict, gaveUp?.says]).toEqual(['invalid', 'The search was given up after 1,500,000 comparisons of names.'])
  })

  test('10,000 hosts below 40 authorities of one key, each with constraints of its own', () => {
    const key = newKey()
    const limited = Array.from({ length: 40 }, (_, at) =>
      authority({ name: 'Limited', key, issuer: root, extensions: [excluded(dns(`x${at}.example.org`), dns('y9999.example.org'))] }),
    )
    const [issuer = root] = limited
    const end = leaf({ name: 'End', issuer, extensions: [sans(...many(10_000, (at) => dns(`y${at}.example.org`)))] })
    const { verdict, gaveUp } = timed({ leaf: end.certificate, intermediates: certificates(limited), roots: [root.certificate] })
    expect([verdict, gaveUp?.code]).toEqual(['invalid', 'tooMuchWork'])
  })

  test('10,000 names are matched with one', () => {
    const end = leaf({ name: 'End', issuer: root, extensions: [sans(...many(10_000, (at) => dns(`x${at}.example.org`)))] })
    const input = { leaf: end.certificate, intermediates: [], roots: [root.certificate] }
    expect(timed({ ...input, name: { type: 'dns', value: 'x9999.example.org' } }).verdict).toBe('valid')
    const { rejected } = timed({ ...input, name: { type: 'dns', value: 'y.example.org' } })
    expect(rejected[0]?.faults[0]?.says).toBe(
      'It is not for y.example.org. It is for x0.example.org, x1.example.org, x2.example.org and 9997 more.',
    )
  })

  test('a name of half a million labels is no host', () => {
    expect(
      check(permitted(dns('example.org')), [dns('a.'.repeat(200_000) + 'example.org')]).rejected[0]?.faults.map(({ code }) => code),
    ).toEqual(['nameUnchecked'])
  })

  test('a subject of thousands of relative names is within nothing', () => {
    const subject = nameOf(...Array.from({ length: 3_000 }, (): [string, string] => ['OU', 'x']))
    const limited = authority({ name: 'Limited', issuer: root, extensions: [permitted(directory(['OU', 'x']))] })
    const { rejected } = timed({
      leaf: leaf({ name: subject, issuer: limited }).certificate,
      intermediates: [limited.certificate],
      roots: [root.certificate],
    })
    expect(rejected[0]?.faults.map(({ code }) => code)).toEqual(['nameUnchecked'])
  })
})

describe('policies that multiply', () => {
  test('ten authorities that map each of 300 policies to each of 8', () => {
    const root = authority({ name: 'Root' })
    const names = Array.from({ length: 300 }, (_, at) => `1.3.${at}`)
    const pairs = names.flatMap((from, at) =>
      Array.from({ length: 8 }, (_, by): [string, string] => [from, names[(at * 7 + by) % names.length] ?? from]),
    )
    const made: Made[] = []
    for (let at = 0; at < 10; at += 1)
      made.push(authority({ name: `A${at}`, issuer: made.at(-1) ?? root, extensions: [policies(...names), mappings(...pairs)] }))
    const end = leaf({ name: 'End', issuer: made.at(-1) ?? root, extensions: [policies(...names)] })
    const { verdict, path } = timed({
      leaf: end.certificate,
      intermediates: certificates(made),
      roots: [root.certificate],
      requireExplicitPolicy: true,
    })
    expect([verdict, path?.policies.length]).toEqual(['valid', 300])
  })
})

describe('policies below many authorities of one key', () => {
  test('are not looked at without end', () => {
    const root = authority({ name: 'Root' })
    const names = Array.from({ length: 2_000 }, (_, at) => `1.3.${at}`)
    const key = newKey()
    const same = Array.from({ length: 40 }, (_, at) =>
      authority({ name: 'Same', key, issuer: root, extensions: [policies(...names, `1.4.${at}`)] }),
    )
    const end = leaf({ name: 'End', issuer: same[0] ?? root, extensions: [policies(...names.map((name) => `${name}.1`))] })
    const { verdict } = timed({
      leaf: end.certificate,
      intermediates: certificates(same),
      roots: [root.certificate],
      requireExplicitPolicy: true,
    })
    expect(verdict).toBe('invalid')
  })
})

describe('revocation lists that multiply', () => {
  test('200 lists, each signed by nobody, against 50 keys of the name', async () => {
    const root = authority({ name: 'Root' })
    const lists = await Promise.all(
      Array.from({ length: 200 }, (_, at) => revocationList(root, { crlNumber: BigInt(at), signer: newKey() })),
    )
    const others = Array.from({ length: 50 }, () => authority({ name: 'Root', issuer: root }))
    const { verdict, gaveUp } = timed({
      leaf: leaf({ name: 'End', issuer: root }).certificate,
      intermediates: certificates(others),
      roots: [root.certificate],
      crls: lists,
    })
    expect([verdict, gaveUp?.code]).toEqual(['invalid', 'tooMuchWork'])
  })
})
