import { describe, expect, test } from 'vitest'
import { parseCrl, type ParsedCrl } from '../crl/parse.ts'
import {
  concat,
  explicit,
  implicitConstructed,
  implicitPrimitive,
  integer,
  namedBitContent,
  octetString,
  oid,
  sequence,
} from '../der/writer.ts'
import { signWith } from '../x509/algorithms.ts'
import { assembleSigned, fingerprint } from '../x509/certificate.ts'
import type { DistributionPoint, Extension } from '../x509/extension-types.ts'
import { encodeGeneralNames, type GeneralName } from '../x509/general-names.ts'
import { OIDS } from '../x509/oids.ts'
import { AT, authority, leaf, newKey, revocationList, uri, usage, type ListOrder, type Made } from './estate.fixture.ts'
import type { OwnStatus } from './revocation.ts'
import { verifyCertificate, type VerificationInput } from './verify.ts'

const root = authority({ name: 'Root' })
const middle = authority({ name: 'Middle', issuer: root })
const end = leaf({ name: 'End', issuer: middle })
const DAY = 86_400_000
const revoked = (who: Made, reason?: 'keyCompromise' | 'certificateHold' | 'removeFromCRL') => ({
  serialNumber: who.certificate.serialNumber,
  revocationDate: new Date(AT.getTime() - DAY),
  reason,
})

function ask(crls: readonly ParsedCrl[], question: Partial<VerificationInput> = {}) {
  return verifyCertificate({
    at: AT,
    leaf: end.certificate,
    intermediates: [middle.certificate],
    roots: [root.certificate],
    crls,
    ...question,
  })
}
function faultsOf(crls: readonly ParsedCrl[], question?: Partial<VerificationInput>): string[] {
  const { path, rejected } = ask(crls, question)
  return path === undefined ? (rejected[0]?.faults.map(({ code, at }) => `${code}@${at}`) ?? []) : []
}
const why = (crls: readonly ParsedCrl[], question?: Partial<VerificationInput>): string =>
  ask(crls, question).rejected[0]?.faults[0]?.says ?? ''
const list = (order: ListOrder = {}, issuer = middle) => revocationList(issuer, order)
const UNKNOWN = ['revocationUnknown@0']
const REVOKED = ['revoked@0']

describe('a revocation list', () => {
  test('without the certificate leaves it good', async () => {
    expect(ask([await list({ entries: [revoked(middle)] }), await list({}, root)]).path?.revocation).toEqual(['good', 'good', 'notChecked'])
  })

  test('with the certificate refuses it, and says since when and why', async () => {
    const crls = [await list({ entries: [revoked(end, 'keyCompromise')] })]
    expect(faultsOf(crls)).toEqual(REVOKED)
    expect(why(crls)).toBe('It was revoked on 2026-06-14 12:00 UTC. The reason given is keyCompromise.')
  })

  test('with an authority refuses what is below', async () => {
    expect(faultsOf([await list({ entries: [revoked(middle)] }, root)])).toEqual(['revoked@1'])
  })

  test('with a certificate on hold says so', async () => {
    expect(why([await list({ entries: [revoked(end, 'certificateHold')] })])).toBe('It has been on hold since 2026-06-14 12:00 UTC.')
  })

  test('is not needed where none is at hand, unless it is demanded', async () => {
    expect(ask([]).path?.revocation).toEqual(['notChecked', 'notChecked', 'notChecked'])
    expect(faultsOf([await list()], { requireRevocationLists: true })).toEqual(['revocationUnknown@1'])
    expect(faultsOf([await list(), await list({}, root)], { requireRevocationLists: true })).toEqual([])
  })

  test('of another authority says nothing, though the serial number is the same', async () => {
    expect(ask([await list({ entries: [revoked(end)] }, authority({ name: 'Other' }))]).path?.revocation).toEqual([
      'notChecked',
      'notChecked',
      'notChecked',
    ])
  })

  test('is not needed where the authority itself was asked, and is believed beside it', async () => {
    const ownStatuses = new Map<string, OwnStatus>([[fingerprint(end.certificate), { state: 'good' }]])
    expect(ask([], { ownStatuses }).path?.revocation).toEqual(['good', 'notChecked', 'notChecked'])
    expect(faultsOf([], { ownStatuses, requireRevocationLists: true })).toEqual(['revocationUnknown@1'])
    expect(faultsOf([await list({ entries: [revoked(end)] })], { ownStatuses })).toEqual(REVOKED)
    ownStatuses.set(fingerprint(end.certificate), { state: 'revoked', since: new Date(AT.getTime() - DAY), reason: 'superseded' })
    expect(faultsOf([], { ownStatuses })).toEqual(REVOKED)
    expect(why([await list()], { ownStatuses })).toBe('It was revoked on 2026-06-14 12:00 UTC. The reason given is superseded.')
  })

  const later = new Date(AT.getTime() + DAY)
  const earlier = new Date(AT.getTime() - DAY)
  test.each<[string, ListOrder, RegExp]>([
    ['that is out of date', { thisUpdate: new Date(0), nextUpdate: earlier }, /out of date since 2026-06-14/],
    ['that is not valid yet', { thisUpdate: later, nextUpdate: new Date(later.getTime() + DAY) }, /valid only from 2026-06-16/],
    ['that another key signed', { signer: newKey() }, /signed by no key that is trusted/],
  ])('%s cannot tell', async (_what, order, says) => {
    expect(faultsOf([await list(order)])).toEqual(UNKNOWN)
    expect(why([await list(order)])).toMatch(says)
    expect(faultsOf([await list(order), await list()])).toEqual([])
  })

  test('of an authority that may not sign lists cannot tell', async () => {
    const silent = authority({ name: 'Silent', issuer: root, extensions: [usage('keyCertSign')] })
    const question = { leaf: leaf({ name: 'x', issuer: silent }).certificate, intermediates: [silent.certificate] }
    expect(why([await list({}, silent)], question)).toMatch(/may not sign revocation lists/)
  })

  test('may be signed by another key of the authority that leads to the same root', async () => {
    const signer = authority({ name: 'Middle', issuer: root, extensions: [usage('cRLSign')], without: ['basicConstraints'] })
    const crl = await list({ entries: [revoked(end)], signer: signer.key })
    expect(faultsOf([crl])).toEqual(UNKNOWN)
    expect(faultsOf([crl], { intermediates: [middle.certificate, signer.certificate] })).toEqual(REVOKED)
    const foreign = authority({ name: 'Middle', issuer: authority({ name: 'Elsewhere' }), key: signer.key })
    expect(faultsOf([crl], { intermediates: [middle.certificate, foreign.certificate] })).toEqual(UNKNOWN)
  })

  test('with a critical extension that nobody knows cannot tell', async () => {
    expect(why([await special(middle, { extensions: [extension('1.2.3.4', true, octetString(Uint8Array.of(1)))] })])).toMatch(
      /critical extension that is not understood here: 1\.2\.3\.4/,
    )
  })
})

describe('the scope of a list', () => {
  test('of user certificates or of authorities is kept', async () => {
    const users = { issuingDistributionPoint: { onlyContainsUserCerts: true } }
    const authorities = { issuingDistributionPoint: { onlyContainsCaCerts: true } }
    expect(ask([await list(users), await list(users, root)]).path?.revocation).toEqual(['good', 'notChecked', 'notChecked'])
    expect(ask([await list(authorities), await list(authorities, root)]).path?.revocation).toEqual(['notChecked', 'good', 'notChecked'])
  })

  const points = (...distributionPoints: DistributionPoint[]): Extension => ({
    type: 'cRLDistributionPoints',
    critical: false,
    distributionPoints,
  })
  const HERE = uri('http://crl.example.org/1.crl')
  const shard = (address: string, entries: ListOrder['entries'] = []) => list({ issuingDistributionPoint: { uris: [address] }, entries })

  test('is the distribution point that the certificate names', async () => {
    const x = leaf({ name: 'x', issuer: middle, extensions: [points({ fullName: [HERE] })] })
    const question = { leaf: x.certificate }
    expect(faultsOf([await shard('http://crl.example.org/1.crl', [revoked(x)])], question)).toEqual(REVOKED)
    expect(ask([await shard('http://crl.example.org/2.crl', [revoked(x)])], question).path?.revocation[0]).toBe('notChecked')
    expect(
      ask([await shard('http://crl.example.org/2.crl'), await shard('http://crl.example.org/1.crl')], question).path?.revocation[0],
    ).toBe('good')
    expect(ask([await list()], question).path?.revocation[0]).toBe('good')
  })

  test('is not a distribution point where the certificate names none', async () => {
    expect(ask([await shard('http://crl.example.org/1.crl', [revoked(end)])]).path?.revocation[0]).toBe('notChecked')
  })

  test('may be some reasons, which have to come together', async () => {
    const some = (bits: number[], entries: Uint8Array[] = []) =>
      special(middle, {
        extensions: [extension(OIDS.issuingDistributionPoint, true, sequence(implicitPrimitive(3, namedBitContent(bits))))],
        entries,
      })
    const first = await some([1, 2, 3])
    expect(why([first])).toMatch(/leave out some reasons/)
    expect(faultsOf([first, await some([4, 5, 6, 7, 8])])).toEqual([])
    expect(faultsOf([await some([1], [entry(end)])])).toEqual(REVOKED)
  })

  test('is never attribute certificates', async () => {
    const crl = await special(middle, {
      extensions: [extension(OIDS.issuingDistributionPoint, true, sequence(implicitPrimitive(5, Uint8Array.of(0xff))))],
      entries: [entry(end)],
    })
    expect(ask([crl]).path?.revocation[0]).toBe('notChecked')
  })
})

describe('a delta list', () => {
  const base = () => list({ crlNumber: 5n, entries: [revoked(end, 'certificateHold')] })

  test('adds to its base, and takes away from it', async () => {
    expect(faultsOf([await list({ crlNumber: 5n }), await list({ crlNumber: 6n, deltaBase: 5n, entries: [revoked(end)] })])).toEqual(
      REVOKED,
    )
    expect(faultsOf([await base(), await list({ crlNumber: 6n, deltaBase: 5n, entries: [revoked(end, 'removeFromCRL')] })])).toEqual([])
  })

  test.each<[string, ListOrder]>([
    ['that is older than the full list', { crlNumber: 4n, deltaBase: 3n }],
    ['that continues a later list', { crlNumber: 8n, deltaBase: 7n }],
    ['that another key signed', { crlNumber: 6n, deltaBase: 5n, signer: newKey() }],
    ['that is out of date', { crlNumber: 6n, deltaBase: 5n, thisUpdate: new Date(0), nextUpdate: new Date(1_000) }],
    ['of another scope', { crlNumber: 6n, deltaBase: 5n, issuingDistributionPoint: { onlyContainsUserCerts: true } }],
  ])('%s counts for nothing', async (_what, order) => {
    expect(faultsOf([await base(), await list({ ...order, entries: [revoked(end, 'removeFromCRL')] })])).toEqual(REVOKED)
  })

  test('alone says nothing', async () => {
    expect(ask([await list({ crlNumber: 6n, deltaBase: 5n, entries: [revoked(end)] })]).path?.revocation[0]).toBe('notChecked')
  })
})

describe('an indirect list', () => {
  const clerk = leaf({ name: 'Clerk', issuer: root, extensions: [usage('cRLSign')] })
  const clerkName: GeneralName = { type: 'directoryName', name: clerk.certificate.subject }
  const here = uri('http://crl.example.org/all.crl')
  const x = leaf({
    name: 'x',
    issuer: middle,
    extensions: [{ type: 'cRLDistributionPoints', critical: false, distributionPoints: [{ fullName: [here], cRLIssuer: [clerkName] }] }],
  })
  const indirect = extension(
    OIDS.issuingDistributionPoint,
    true,
    sequence(explicit(0, implicitConstructed(0, encodeGeneralNames([here]))), implicitPrimitive(4, Uint8Array.of(0xff))),
  )
  const question = { leaf: x.certificate, intermediates: [middle.certificate, clerk.certificate] }

  test('speaks for the issuers that its entries name', async () => {
    const crl = await special(clerk, { extensions: [indirect], entries: [entry(x, middle)] })
    expect(faultsOf([crl], question)).toEqual(REVOKED)
    expect(faultsOf([await special(clerk, { extensions: [indirect], entries: [entry(x, root)] })], question)).toEqual([])
    expect(faultsOf([await special(clerk, { extensions: [indirect], entries: [entry(x)] })], question)).toEqual([])
    expect(faultsOf([await special(clerk, { extensions: [indirect], entries: [entry(middle, middle), entry(x)] })], question)).toEqual(
      REVOKED,
    )
  })

  test('needs the certificate of its signer, under the same root', async () => {
    const crl = await special(clerk, { extensions: [indirect] })
    expect(faultsOf([crl], { leaf: x.certificate })).toEqual(UNKNOWN)
    const stranger = leaf({ name: 'Clerk', issuer: authority({ name: 'Elsewhere' }), key: clerk.key })
    expect(faultsOf([crl], { leaf: x.certificate, intermediates: [middle.certificate, stranger.certificate] })).toEqual(UNKNOWN)
    expect(ask([crl], question).path?.revocation[0]).toBe('good')
  })

  test('of a signer that is revoked itself is not believed, whoever says so', async () => {
    const crl = await special(clerk, { extensions: [indirect] })
    const ofRoot = await list({ entries: [revoked(clerk)] }, root)
    expect(faultsOf([crl, ofRoot], question)).toEqual(UNKNOWN)
    expect(
      faultsOf([crl], {
        ...question,
        ownStatuses: new Map([[fingerprint(clerk.certificate), { state: 'revoked', since: AT, reason: 'keyCompromise' }]]),
      }),
    ).toEqual(UNKNOWN)
    expect(ask([crl, await list({}, root)], question).path?.revocation[0]).toBe('good')
  })

  test('of a signer below a revoked authority is not believed', async () => {
    const bureau = authority({ name: 'Bureau', issuer: root })
    const scribe = leaf({ name: 'Clerk', issuer: bureau, extensions: [usage('cRLSign')] })
    const crl = await special(scribe, { extensions: [indirect] })
    const pool = { leaf: x.certificate, intermediates: [middle.certificate, bureau.certificate, scribe.certificate] }
    expect(ask([crl], pool).path?.revocation[0]).toBe('good')
    expect(faultsOf([crl, await list({ entries: [revoked(bureau)] }, root)], pool)).toEqual(UNKNOWN)
  })

  test('does not speak for its own signer', async () => {
    const point = { fullName: [here], cRLIssuer: [clerkName] }
    const own = leaf({
      name: 'Clerk',
      issuer: root,
      key: clerk.key,
      extensions: [usage('cRLSign'), { type: 'cRLDistributionPoints', critical: false, distributionPoints: [point] }],
    })
    const crl = await special(own, { extensions: [indirect] })
    const pool = { leaf: x.certificate, intermediates: [middle.certificate, own.certificate] }
    expect(ask([crl], pool).path?.revocation[0]).toBe('good')
    expect(faultsOf([crl, await list({ entries: [revoked(own)] }, root)], pool)).toEqual(UNKNOWN)
  })

  test('has to say that it is one, and the certificate has to name its signer', async () => {
    expect(ask([await special(clerk, { extensions: [] })], question).path?.revocation[0]).toBe('notChecked')
    expect(
      ask([await special(clerk, { extensions: [indirect], entries: [entry(end, middle)] })], { ...question, leaf: end.certificate }).path
        ?.revocation[0],
    ).toBe('notChecked')
  })
})

function extension(id: string, critical: boolean, value: Uint8Array): Uint8Array {
  return sequence(oid(id), ...(critical ? [Uint8Array.of(1, 1, 0xff)] : []), octetString(value))
}

function entry(who: Made, issuer?: Made): Uint8Array {
  const name: GeneralName | undefined = issuer && { type: 'directoryName', name: issuer.certificate.subject }
  return sequence(
    integer(who.certificate.serialNumber),
    utcTime('260601000000Z'),
    ...(name === undefined ? [] : [sequence(extension(OIDS.certificateIssuer, true, sequence(encodeGeneralNames([name]))))]),
  )
}

/** A list with parts that our own writer does not make. */
async function special(
  { certificate, key }: Made,
  { extensions, entries = [] }: { extensions: Uint8Array[]; entries?: Uint8Array[] },
): Promise<ParsedCrl> {
  const algorithm = sequence(oid(OIDS.Ed25519))
  const tbs = sequence(
    integer(1),
    algorithm,
    certificate.subjectEncoded,
    utcTime('260614000000Z'),
    utcTime('260616000000Z'),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
    ...(extensions.length === 0 ? [] : [explicit(0, sequence(...extensions))]),
  )
  return parseCrl(assembleSigned(tbs, 'Ed25519', signWith('Ed25519', key, tbs)))
}

function utcTime(text: string): Uint8Array {
  return concat(Uint8Array.of(0x17, 13), Buffer.from(text))
}
