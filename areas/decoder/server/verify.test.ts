import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { createAuthority, findIssuer, markRevoked } from '#areas/authorities/service.ts'
import { findOffline } from '#areas/authorities/stakes.ts'
import { revocation } from '#areas/revocation/contract.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { openTestHouse, type TestHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { AT, authority, leaf as endEntity, newKey, revocationListDer, usage } from '#standards/verify/estate.fixture.ts'
import { PURPOSE_NAMES } from '#standards/verify/purposes.ts'
import { decoder } from '../contract.ts'
import { purposes } from '../rules.ts'

const hour = 3_600_000
const day = 24 * hour

let house: TestHouse
let acme: TestTenancy
let ada: TestPerson
const folder = openToolFolder()
const openssl = (...args: string[]) => folder.run('openssl', ...args)
const file = folder.read
const pem = (name: string) => file(name).toString('latin1')

const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

function issue(name: string, issuer: string, extensions: string): void {
  folder.write(`${name}.ext`, extensions)
  openssl('req', '-new', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/O=Acme/CN=${name}`)
  openssl(
    'x509',
    '-req',
    '-in',
    `${name}.csr`,
    '-CA',
    `${issuer}.pem`,
    '-CAkey',
    `${issuer}.key`,
    '-CAcreateserial',
    '-days',
    '90',
    '-extfile',
    `${name}.ext`,
    '-out',
    `${name}.pem`,
  )
}

/** Of `middle`, with the lines of `index.txt`. */
function list(name: string, number: string, extensions = ''): void {
  folder.write(
    'ca.cnf',
    `[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ncrlnumber=crlnumber\ndefault_md=sha256\ndefault_crl_days=7\ncrl_extensions=c\n[c]\nauthorityKeyIdentifier=keyid\n${extensions}`,
  )
  folder.write('crlnumber', `${number}\n`)
  openssl('ca', '-config', 'ca.cnf', '-gencrl', '-cert', 'middle.pem', '-keyfile', 'middle.key', '-out', name)
}

beforeAll(async () => {
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'root.key',
    '-out',
    'root.pem',
    '-days',
    '365',
    '-subj',
    '/O=Acme/CN=root',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  )
  issue('middle', 'root', 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign')
  issue('leaf', 'middle', 'basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName=DNS:www.example.org')
  const serial = openssl('x509', '-in', 'leaf.pem', '-noout', '-serial').replace('serial=', '').trim()
  // In the order in which they are brought: a list of an earlier second than the last is refused.
  folder.write('index.txt', '')
  list('clean.crl', '01')
  folder.write('index.txt', `R\t360101000000Z\t260102030405Z,keyCompromise\t${serial}\tunknown\t/CN=leaf\n`)
  list('middle.crl', '02')
  folder.write('index.txt', '')
  house = await openTestHouse()
  acme = await house.tenancy('Acme')
  ada = await acme.person({ permissions: ['pEMView'] })
})
afterAll(async () => {
  await house.close()
  folder.remove()
})

type Draft = DraftOf<typeof decoder.calls.verifyChain>
const verify = (draft: Partial<Draft> = {}) =>
  ada.call(decoder.calls.verifyChain, { leaf: pem('leaf.pem'), intermediates: pem('middle.pem'), roots: pem('root.pem'), ...draft })

describe('a certificate', () => {
  test('is verified against what is pasted', async () => {
    const report = await verify({ purpose: 'serverAuth', name: 'www.example.org' })
    expect(report.verdict).toBe('valid')
    expect(report.path?.certificates.map(({ role, subject, faults }) => [role, subject, faults])).toEqual([
      ['leaf', 'CN=leaf,O=Acme', []],
      ['intermediate', 'CN=middle,O=Acme', []],
      ['root', 'CN=root,O=Acme', []],
    ])
    expect(report.reasons).toEqual([])
  })

  test('may be PEM, hexadecimal or base64, one behind the other or apart', async () => {
    const der = (name: string) => Buffer.from(pem(name).replaceAll(/-----.*-----|\s/g, ''), 'base64')
    expect((await verify({ leaf: der('leaf.pem').toString('hex'), intermediates: der('middle.pem').toString('base64') })).verdict).toBe(
      'valid',
    )
    expect((await verify({ leaf: pem('leaf.pem') + pem('middle.pem'), intermediates: '' })).verdict).toBe('valid')
    expect((await verify({ intermediates: [der('middle.pem').toString('hex'), pem('root.pem')], roots: [pem('root.pem')] })).verdict).toBe(
      'valid',
    )
  })

  test('that is refused comes with reasons, each with its certificate and clause', async () => {
    const report = await verify({ purpose: 'clientAuth', name: 'example.org', crls: pem('middle.crl') })
    expect(report.verdict).toBe('invalid')
    expect(report.path).toBeUndefined()
    expect(report.reasons).toEqual([
      {
        certificate: 'CN=leaf,O=Acme',
        code: 'purpose',
        clause: 'RFC 5280 4.2.1.12',
        says: 'It is for serverAuth (1.3.6.1.5.5.7.3.1), not for TLS clients.',
      },
      {
        certificate: 'CN=leaf,O=Acme',
        code: 'nameMismatch',
        clause: 'RFC 9525 6',
        says: 'It is not for example.org. It is for www.example.org.',
      },
      {
        certificate: 'CN=leaf,O=Acme',
        code: 'revoked',
        clause: 'RFC 5280 6.1.3 (a)(3)',
        says: 'It was revoked on 2026-01-02 03:04 UTC. The reason given is keyCompromise.',
      },
    ])
    expect(report.rejected[0]?.certificates.map(({ revocation }) => revocation)).toEqual(['revoked', 'notChecked', 'notChecked'])
  })

  test('is verified at the time asked for, and else now', async () => {
    expect((await verify({ time: '2001-01-01' })).reasons.map(({ code }) => code)).toEqual(['notYetValid', 'notYetValid', 'notYetValid'])
    const before = house.clock.now().getTime()
    const at = Date.parse((await verify()).at)
    expect([before, at, house.clock.now().getTime()].toSorted((one, other) => one - other)[1]).toBe(at)
  })

  test('needs a policy where one is asked for', async () => {
    expect((await verify({ policies: ['2.23.140.1.2.1'] })).reasons.map(({ code }) => code)).toEqual(['policyRequired'])
  })

  test('needs revocation lists where they are demanded', async () => {
    expect((await verify({ requireRevocationLists: true })).reasons.map(({ code }) => code)).toEqual([
      'revocationUnknown',
      'revocationUnknown',
    ])
  })

  test("is verified against this tenancy's authorities, and never against another's", async () => {
    const maker = { tenantId: acme.id, name: 'Set-up' }
    const { caId } = await createAuthority(house.house, maker, { kind: 'root', friendlyName: 'Ours', subject: { CN: 'Ours' } })
    const issuing = await createAuthority(house.house, maker, {
      kind: 'subordinate',
      issuerId: caId,
      friendlyName: 'Issuing',
      subject: { CN: 'Issuing' },
    })
    const issuer = await inTenant(house.house.database, acme.id, (db) => findIssuer(db, acme.id, issuing.caId, house.clock.now()))
    const draft = { leaf: encodePem('CERTIFICATE', issuer?.certificate ?? Buffer.of()), ownAuthorities: true }
    const report = await ada.call(decoder.calls.verifyChain, draft)
    expect([report.verdict, report.path?.certificates.map(({ subject }) => subject)]).toEqual(['valid', ['CN=Issuing', 'CN=Ours']])
    const stranger = await (await house.tenancy('Stranger')).person({ permissions: ['pEMView'] })
    await expect(stranger.call(decoder.calls.verifyChain, draft)).rejects.toMatchObject({
      code: 'unreadable',
      fields: [{ field: 'roots', says: 'Give at least one root to trust' }],
    })
    expect((await stranger.call(decoder.calls.verifyChain, { ...draft, roots: pem('root.pem') })).verdict).toBe('invalid')
  })
})

describe('that a certificate was revoked', () => {
  test('is known of one that an authority of this tenancy signed, without any list', async () => {
    const pki = await house.tenancy('Desk')
    const keeper = await pki.person({ permissions: ['pEMView'] })
    const maker = { tenantId: pki.id, name: 'Set-up' }
    const { caId } = await createAuthority(house.house, maker, { kind: 'root', friendlyName: 'Top', subject: { CN: 'Top' } })
    const below = await createAuthority(house.house, maker, {
      kind: 'subordinate',
      issuerId: caId,
      friendlyName: 'Below',
      subject: { CN: 'Below' },
    })
    const inPki = <Result>(work: (db: Database) => Promise<Result>) => inTenant(house.house.database, pki.id, work)
    const certificate = (await inPki((db) => findIssuer(db, pki.id, below.caId, house.clock.now())))?.certificate ?? Buffer.of()
    const ask = (draft: Partial<Draft> = {}) =>
      keeper.call(decoder.calls.verifyChain, {
        leaf: encodePem('CERTIFICATE', certificate),
        ownAuthorities: true,
        requireRevocationLists: true,
        ...draft,
      })
    const good = await ask()
    expect([good.says, good.path?.certificates.map(({ revocation }) => revocation)]).toEqual([
      'The certificate is valid.',
      ['good', 'notChecked'],
    ])
    const ahead = await ask({ time: '2027-01-01', requireRevocationLists: false })
    expect(ahead.says).not.toBe('The certificate is valid.')

    const at = house.clock.now()
    await inPki((db) =>
      markRevoked(db, { tenantId: pki.id, caId, serialHex: good.path?.certificates[0]?.serialNumber ?? '', reason: 'superseded', at }),
    )
    const revoked = await ask({ requireRevocationLists: false })
    expect([revoked.verdict, revoked.says, revoked.reasons.map(({ code }) => code)]).toEqual([
      'invalid',
      'The certificate is not valid.',
      ['revoked'],
    ])
    expect(revoked.rejected[0]?.certificates[0]?.revocation).toBe('revoked')
  })

  test('is read from the list that was brought of an authority whose key is elsewhere', async () => {
    const pki = await house.tenancy('Vault desk')
    const keeper = await pki.person({ permissions: 'all' })
    const { caId } = await keeper.call(authorities.calls.addOffline, {
      friendlyName: 'Elsewhere',
      certificate: pem('middle.pem') + pem('root.pem'),
    })
    const bring = (name: string) => keeper.call(revocation.calls.uploadList, { caId, list: pem(name) })
    const ask = (draft: Partial<Draft> = {}) =>
      keeper.call(decoder.calls.verifyChain, { leaf: pem('leaf.pem'), intermediates: '', roots: '', ownAuthorities: true, ...draft })
    const states = ({ path, rejected }: Awaited<ReturnType<typeof ask>>) =>
      (path ?? rejected[0])?.certificates.map(({ revocation: state }) => state)
    expect(states(await ask())).toEqual(['notChecked', 'notChecked', 'notChecked'])

    await bring('clean.crl')
    expect(states(await ask())).toEqual(['good', 'notChecked', 'notChecked'])
    // Nobody knows what a list of then will say.
    const monthAhead = new Date(house.clock.now().getTime() + 30 * 86_400_000).toISOString()
    expect(states(await ask({ time: monthAhead }))).toEqual(['notChecked', 'notChecked', 'notChecked'])
    // What was revoked before and ended before is on it no more.
    const dayBefore = new Date(house.clock.now().getTime() - 86_400_000).toISOString()
    expect(states(await ask({ time: dayBefore }))).toEqual(['notChecked', 'notChecked', 'notChecked'])

    await bring('middle.crl')
    const revoked = await ask()
    expect([revoked.verdict, states(revoked), revoked.reasons.map(({ code, says }) => [code, says])]).toEqual([
      'invalid',
      ['revoked', 'notChecked', 'notChecked'],
      [['revoked', 'It was revoked on 2026-01-02 03:04 UTC. The reason given is keyCompromise.']],
    ])
    expect((await ask({ ownAuthorities: false, roots: pem('root.pem'), intermediates: pem('middle.pem') })).verdict).toBe('valid')
  })

  test('is not read from a brought list that speaks for another distribution point, just as it is not from a pasted one', async () => {
    const pki = await house.tenancy('Parts desk')
    const keeper = await pki.person({ permissions: 'all' })
    const { caId } = await keeper.call(authorities.calls.addOffline, {
      friendlyName: 'In parts',
      certificate: pem('middle.pem') + pem('root.pem'),
    })
    const { crlUrl = '' } = (await inTenant(house.house.database, pki.id, (db) => findOffline(db, pki.id, caId))) ?? {}
    list('part.crl', '03', `issuingDistributionPoint=critical,@point\n[point]\nfullname=URI:${crlUrl}\n`)
    for (const [name, point] of [
      ['here', crlUrl],
      ['part2', 'http://other.example/part2.crl'],
    ] as const)
      issue(name, 'middle', `basicConstraints=critical,CA:FALSE\ncrlDistributionPoints=URI:${point}`)
    await keeper.call(revocation.calls.uploadList, { caId, list: pem('part.crl') })
    const ask = async (name: string, draft: Partial<Draft>) => {
      const { verdict, path, rejected, reasons } = await keeper.call(decoder.calls.verifyChain, {
        leaf: pem(`${name}.pem`),
        intermediates: '',
        roots: '',
        ...draft,
      })
      return [
        verdict,
        (path ?? rejected[0])?.certificates[0]?.revocation,
        ...reasons.filter(({ certificate }) => certificate.startsWith(`CN=${name},`)).map(({ code }) => code),
      ]
    }
    const pasted = { intermediates: pem('middle.pem'), roots: pem('root.pem'), crls: pem('part.crl') }
    expect(await ask('part2', { ...pasted, requireRevocationLists: true })).toEqual(['invalid', 'unknown', 'revocationUnknown'])
    expect(await ask('part2', { ownAuthorities: true, requireRevocationLists: true })).toEqual(['invalid', 'unknown', 'revocationUnknown'])
    expect(await ask('part2', { ownAuthorities: true })).toEqual(['valid', 'notChecked'])
    expect([await ask('here', pasted), await ask('here', { ownAuthorities: true })]).toEqual([
      ['valid', 'good'],
      ['valid', 'good'],
    ])
  })

  test('is not read from a list whose signer is revoked itself, as another list says or an authority here knows', async () => {
    const now = house.clock.now()
    const times = { from: new Date(now.getTime() - day), to: new Date(now.getTime() + 30 * day) }
    const listTimes = { thisUpdate: new Date(now.getTime() - hour), nextUpdate: new Date(now.getTime() + day) }
    const top = authority({ name: 'Top', ...times })
    const issuing = authority({ name: 'Issuing', issuer: top, ...times })
    const clerk = endEntity({ name: 'Issuing', issuer: top, extensions: [usage('cRLSign')], ...times })
    const end = endEntity({ name: 'End', issuer: issuing, ...times })
    const text = ({ certificate }: typeof end) => encodePem('CERTIFICATE', certificate.encoded)
    const listText = async (...order: Parameters<typeof revocationListDer>) => encodePem('X509 CRL', await revocationListDer(...order))
    const byClerk = await listText(clerk, listTimes)
    const entries = [{ serialNumber: clerk.certificate.serialNumber, revocationDate: listTimes.thisUpdate }]
    const byTop = await listText(top, { ...listTimes, entries })

    const pki = await house.tenancy('Clerks desk')
    const keeper = await pki.person({ permissions: 'all' })
    const ask = async (draft: Partial<Draft>) => {
      const { path, rejected } = await keeper.call(decoder.calls.verifyChain, {
        leaf: text(end),
        intermediates: text(issuing) + text(clerk),
        roots: '',
        ...draft,
      })
      return (path ?? rejected[0])?.certificates[0]?.revocation
    }
    expect(await ask({ roots: text(top), crls: byClerk })).toBe('good')
    expect(await ask({ roots: text(top), crls: byClerk + byTop })).toBe('unknown')
    const { caId } = await keeper.call(authorities.calls.addOffline, { friendlyName: 'Top', certificate: text(top) })
    await keeper.call(revocation.calls.uploadList, { caId, list: byTop })
    expect(await ask({ ownAuthorities: true, crls: byClerk })).toBe('unknown')
  })

  test('is said not to have been checked where nobody could be asked', async () => {
    const report = await verify()
    expect([report.verdict, report.says]).toEqual(['valid', 'The path is valid; revocation was not checked.'])
  })
})

describe('what cannot be used is refused by its field', () => {
  test.each<[string, () => Partial<Draft>, { code: string; field: string; says: RegExp }]>([
    ['no certificate', () => ({ leaf: '' }), { code: 'invalid', field: 'leaf', says: /Paste the certificate/ }],
    ['no roots', () => ({ roots: '' }), { code: 'unreadable', field: 'roots', says: /at least one root/ }],
    ['junk', () => ({ leaf: 'hello, world' }), { code: 'unreadable', field: 'leaf', says: /Line 1: / }],
    [
      'a request',
      () => ({ leaf: pem('leaf.csr') }),
      { code: 'unreadable', field: 'leaf', says: /a request where certificates are expected/ },
    ],
    ['a private key', () => ({ roots: pem('root.key') }), { code: 'unreadable', field: 'roots', says: /a private key where/ }],
    [
      'a broken intermediate',
      () => ({ intermediates: pem('root.pem') + encodePem('CERTIFICATE', Buffer.from('30030201', 'hex')) }),
      { code: 'unreadable', field: 'intermediates', says: /^Item 2: .*byte/ },
    ],
    [
      'a certificate as list',
      () => ({ crls: pem('root.pem') }),
      { code: 'unreadable', field: 'crls', says: /a certificate where revocation lists/ },
    ],
    ['a time', () => ({ time: 'tomorrow' }), { code: 'unreadable', field: 'time', says: /Give the time as/ }],
    ['a name', () => ({ name: 'a b' }), { code: 'unreadable', field: 'name', says: /Give a host name/ }],
    ['a policy', () => ({ policies: ['x'] }), { code: 'unreadable', field: 'policies', says: /no object identifier/ }],
    ['a purpose', () => ({ purpose: 'world' as 'any' }), { code: 'invalid', field: 'purpose', says: /Choose one/ }],
  ])('%s', async (_what, draft, { code, field, says }) => {
    await expect(verify(draft())).rejects.toMatchObject({
      status: 400,
      code,
      fields: [{ field, says: expect.stringMatching(says) as string }],
    })
  })

  test('more certificates than a path can need', async () => {
    const many = Array.from({ length: 1_001 }, () => 'MAMCAQE=').join('')
    await expect(verify({ intermediates: many })).rejects.toMatchObject({
      status: 400,
      code: 'unreadable',
      fields: [{ field: 'intermediates' }],
    })
  })
})

test('a pool in which paths multiply gets its answer, and the server goes on', async () => {
  const keys = Array.from({ length: 12 }, newKey)
  const self = keys.map((key, at) => authority({ name: `A${at}`, key }))
  const crossed = self.flatMap((issuer, by) => keys.flatMap((key, at) => (at === by ? [] : [authority({ name: `A${at}`, key, issuer })])))
  const text = (made: { certificate: { encoded: Uint8Array } }) => encodePem('CERTIFICATE', made.certificate.encoded)
  const end = endEntity({ name: 'End', issuer: self[0] ?? authority({ name: 'A0' }) })
  const report = await verify({
    leaf: text(end),
    intermediates: crossed.map(text).join(''),
    roots: text(authority({ name: 'Elsewhere' })),
    time: AT.toISOString(),
  })
  expect([report.verdict, report.gaveUp?.code, report.rejected.length]).toEqual(['invalid', 'tooMuchWork', 20])
  expect((await verify()).verdict).toBe('valid')
})

test('the purposes on the screen are those that can be verified', () => {
  expect(Object.keys(purposes)).toEqual(PURPOSE_NAMES)
})

test('needs pEMView', async () => {
  const other = await (await house.tenancy('Other')).person({ permissions: ['certView'] })
  await expect(other.call(decoder.calls.verifyChain, { leaf: 'x', roots: 'x' })).rejects.toMatchObject({ status: 403 })
  await expect(house.signedOut.call(decoder.calls.verifyChain, { leaf: 'x', roots: 'x' })).rejects.toMatchObject({ status: 401 })
})
