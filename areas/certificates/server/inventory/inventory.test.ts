import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { refusal, useHouse } from '#core/testing/house.ts'
import { certificates } from '../../contract.ts'
import { findCertificate, setAllRevoked } from '../../service.ts'
import { openIssuing, openSsl, type IssuingFixture, type OpenSsl } from '../issuing.fixture.ts'

const { calls } = certificates
const day = 86_400_000

let pki: IssuingFixture
let tools: OpenSsl
let other: IssuingFixture
const ids: Record<string, string> = {}

const issue = async (name: string, more: { templateId?: string; friendlyName?: string; values?: Record<string, string[]> } = {}) => {
  const { csr } = tools.csr({ subject: '/CN=x', extensions: [] })
  const answer = await pki.ada.call(calls.requestForDevice, {
    templateId: pki.template['Device'] ?? '',
    csr,
    values: { DNS: [name] },
    ...more,
  })
  ids[name] = answer.certificateId ?? ''
  return answer
}

const house = await useHouse()
beforeAll(async () => {
  tools = openSsl()
  pki = await openIssuing(house, tools, 'Acme')
  other = await openIssuing(house, tools, 'Umbrella')
  const short = await pki.addTemplate('Device', {
    extensions: { validityPeriod: 10, validityPeriodUnits: 'DAYS', extendedUsages: ['serverAuth'] },
  })
  const shortest = await pki.addTemplate('Device', {
    extensions: { validityPeriod: 1, validityPeriodUnits: 'HOURS', extendedUsages: ['serverAuth'] },
  })
  await issue('alpha.example.org', { friendlyName: 'The front door' })
  await issue('beta.example.org')
  await issue('gamma.test', { templateId: short })
  await issue('delta.test', { templateId: shortest })
  await issue('epsilon.test', { values: { DNS: ['epsilon.test'], CommonName: ['epsilon.test'] } })
  house.clock.advance(2 * 3_600_000)
  await inTenant(house.house.database, pki.tenancy.id, (db) =>
    setAllRevoked(db, pki.tenancy.id, [ids['epsilon.test'] ?? ''], { reason: 'superseded', at: house.clock.now() }),
  )
})
afterAll(async () => {
  tools.close()
})

const names = async (query: Parameters<typeof pki.ada.call<typeof calls.search>>[1]) =>
  (await pki.ada.call(calls.search, query)).rows.map(({ name }) => name)

describe('the inventory', () => {
  test('derives the status of each certificate', async () => {
    const { rows, total } = await pki.ada.call(calls.search, { sort: 'name', direction: 'asc' })
    expect(total).toBe(5)
    expect(rows.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'alpha.example.org active',
      'beta.example.org active',
      'delta.test expired',
      'epsilon.test revoked',
      'gamma.test expiring',
    ])
  })

  test.each([
    ['ALPHA', ['alpha.example.org']],
    ['example', ['beta.example.org', 'alpha.example.org']],
    ['front door', ['alpha.example.org']],
    ['gamma.test', ['gamma.test']],
    ['nothing', []],
    ["' or 1=1 --", []],
    ['%', []],
  ])('finds by text: %s', async (text, found) => {
    expect(await names({ text })).toEqual(found)
  })

  test('finds by the beginning of a serial, whole or grouped, by all of it in decimal, and by fingerprint', async () => {
    const info = await pki.ada.call(calls.info, { certId: ids['beta.example.org'] ?? '' })
    const { serialNumber, fingerprintSha256 } = info.certificate
    for (const text of [
      serialNumber,
      serialNumber.slice(0, 10),
      serialNumber.toUpperCase(),
      serialNumber.replace(/..(?=.)/g, '$&:'),
      serialNumber.replace(/....(?=.)/g, '$& '),
      BigInt(`0x${serialNumber}`).toString(),
      fingerprintSha256,
      fingerprintSha256.replace(/....(?=.)/g, '$& '),
    ])
      expect(await names({ text })).toEqual(['beta.example.org'])
  })

  test('filters, and each facet counts what a click on it shows', async () => {
    const { facets } = await pki.ada.call(calls.search, {})
    expect(facets?.status).toEqual({ active: 2, expiring: 1, expired: 1, onHold: 0, revoked: 1, pending: 0 })
    const counted = async (filter: Parameters<typeof names>[0]) => (await pki.ada.call(calls.search, filter)).total
    for (const [value, count] of Object.entries(facets?.templateId ?? {})) expect(await counted({ templateId: [value] })).toBe(count)
    for (const [value, count] of Object.entries(facets?.caId ?? {})) expect(await counted({ caId: [value] })).toBe(count)
    for (const [value, count] of Object.entries(facets?.expires ?? {})) expect(await counted({ expires: value as 'week' })).toBe(count)
    expect((await pki.ada.call(calls.choices, {})).authorities.map(({ label }) => label)).toEqual(['Acme Issuing', 'Acme Root'])
    expect(await names({ status: ['revoked', 'expired'], sort: 'name', direction: 'asc' })).toEqual(['delta.test', 'epsilon.test'])
  })

  test('is cut into pages in a steady order', async () => {
    const pages = [1, 2, 3].map((page) => names({ page, size: 2, sort: 'notAfter', direction: 'asc' }))
    const all = (await Promise.all(pages)).flat()
    expect(new Set(all).size).toBe(5)
    expect(all[0]).toBe('delta.test')
  })

  test('names a filter that it does not know, with the one that was probably meant, instead of leaving it out', async () => {
    const asked = (input: object) => refusal(pki.ada.call(calls.search, input))
    expect(await asked({ sttatus: ['active'] })).toMatchObject({
      status: 400,
      code: 'invalid',
      fields: [{ field: 'sttatus', says: 'There is no field sttatus here. Did you mean status?' }],
    })
    expect((await asked({ colour: 'red' })).fields).toEqual([
      { field: 'colour', says: expect.stringMatching(/^There is no field colour here\. There are page, size, .*status, /) as string },
    ])
    const answer = await house.fetch(`${certificates.endpoints.exportCertificates.path}?sttatus=active`, {
      headers: { authorization: `Bearer ${pki.ada.token}` },
    })
    expect([answer.status, await answer.json()]).toMatchObject([400, { fields: [{ field: 'sttatus' }] }])
  })

  test("shows nothing of another tenancy's", async () => {
    expect((await other.ada.call(calls.search, {})).total).toBe(0)
    for (const certId of [
      ids['alpha.example.org'] ?? '',
      `${pki.caId}:${(await pki.ada.call(calls.search, { text: 'alpha' })).rows[0]?.serialNumber}`,
    ]) {
      expect(await refusal(other.ada.call(calls.info, { certId }))).toMatchObject({ status: 404, code: 'noSuchCertificate' })
      expect(await refusal(other.ada.call(calls.download, { certId, format: 'pem' }))).toMatchObject({ status: 404 })
    }
  })

  test('is not for those without the permission', async () => {
    expect(await refusal(pki.eve.call(calls.search, {}))).toMatchObject({ status: 403 })
    expect((await pki.eve.fetch('/api2/PKI-v1/CertificatesExport')).status).toBe(403)
  })
})

describe('one certificate', () => {
  test('opens by our id, by authority and serial in one or two parts, and by a serial alone', async () => {
    const certId = ids['alpha.example.org'] ?? ''
    const { certificate } = await pki.ada.call(calls.info, { certId })
    const { serialNumber, caId } = certificate
    for (const reference of [
      { certId: `${caId}:${serialNumber}` },
      { certId: serialNumber, caId: caId ?? '' },
      { certId: serialNumber },
      { certId: serialNumber.toUpperCase() },
    ])
      expect((await pki.ada.call(calls.info, reference)).certificate.certificateId).toBe(certId)
    for (const reference of [{ certId: 'nonsense' }, { certId: `${certId}:zz` }, { certId: serialNumber, caId: pki.rootId }])
      expect(await refusal(pki.ada.call(calls.info, reference))).toMatchObject({ status: 404 })
  })

  test('shows its chain, its device, its addresses and what happened to it', async () => {
    const info = await pki.ada.call(calls.info, { certId: ids['alpha.example.org'] ?? '' })
    expect(info).toMatchObject({
      cn: 'alpha.example.org',
      dn: 'CN=alpha.example.org',
      associatedDevice: { device_oid: 'alpha.example.org', hostname: 'alpha.example.org', serial_number: '' },
      associatedSmartcardDetails: [],
    })
    expect(info.chain.map(({ name }) => name)).toEqual(['Acme Issuing', 'Acme Root'])
    expect(info.certificate.crl).toMatch(/^http:/)
    expect(info.activity.map(({ area, name }) => `${area}.${name}`)).toEqual(['certificates.issued'])
  })

  test('is downloaded as PEM, DER, chain and PKCS#7, and openssl reads each', async () => {
    const certId = ids['beta.example.org'] ?? ''
    const file = async (format: 'pem' | 'der' | 'chain' | 'pkcs7' | 'pkcs7Chain') => {
      const answer = await pki.ada.call(calls.download, { certId, format })
      return { ...answer, path: tools.write(Buffer.from(answer.content, 'base64')) }
    }
    expect(tools.run('x509', '-noout', '-subject', '-in', (await file('pem')).path)).toContain('beta.example.org')
    expect(tools.run('x509', '-inform', 'DER', '-noout', '-subject', '-in', (await file('der')).path)).toContain('beta.example.org')
    const chain = await file('chain')
    expect(tools.run('verify', '-CAfile', chain.path, chain.path)).toContain('OK')
    expect(tools.run('pkcs7', '-inform', 'DER', '-noout', '-print_certs', '-in', (await file('pkcs7')).path)).toContain('beta.example.org')
    const whole = await file('pkcs7Chain')
    expect(tools.run('pkcs7', '-inform', 'DER', '-noout', '-print_certs', '-in', whole.path).match(/subject=/g)).toHaveLength(3)
    expect(whole.fileName).toBe('beta.example.org-chain.p7b')
  })

  test('is downloaded for what it is for: a server sends it with its intermediates, clients trust the root', async () => {
    const certId = ids['beta.example.org'] ?? ''
    const file = async (format: 'server' | 'clients' | 'pkcs12') => {
      const answer = await pki.ada.call(calls.download, { certId, format })
      return { ...answer, path: tools.write(Buffer.from(answer.content, 'base64')) }
    }
    const server = await file('server')
    const subjectsOf = (text: string) => [...text.matchAll(/^subject=.*CN ?= ?(.*)$/gm)].map(([, name]) => name)
    const listed = (path: string) =>
      subjectsOf(tools.run('storeutl', '-noout', '-text', '-certs', path).replaceAll(/^\s+Subject: /gm, 'subject='))
    expect([server.fileName, listed(server.path)]).toEqual(['beta.example.org-server.pem', ['beta.example.org', 'Acme Issuing']])
    const root = await file('clients')
    expect([root.fileName, listed(root.path)]).toEqual(['beta.example.org-root.pem', ['Acme Root']])
    expect(tools.run('verify', '-CAfile', root.path, '-untrusted', server.path, server.path)).toContain('OK')
    const store = await file('pkcs12')
    const inside = tools.run('pkcs12', '-in', store.path, '-passin', 'pass:changeit', '-nokeys')
    expect([store.fileName, subjectsOf(inside)]).toEqual(['beta.example.org.p12', ['beta.example.org', 'Acme Issuing', 'Acme Root']])
  })

  test('is answered as PEM text, without base64 around it', async () => {
    const certId = ids['beta.example.org'] ?? ''
    const text = async (query: string, person = pki.ada) => {
      const answer = await person.fetch(`/api2/PKI-v1/CertificatePem?${query}`)
      return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
    }
    const { certificate } = await pki.ada.call(calls.info, { certId })
    expect(await text(`certId=${certId}`)).toEqual({ status: 200, type: 'application/pem-certificate-chain', body: certificate.pem })
    expect((await text(`certId=${certId}&format=server`)).body.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
    expect(await text(`certId=${certId}&format=der`)).toMatchObject({ status: 400, body: expect.stringContaining('"format"') as string })
    expect((await text(`certId=${certId}`, pki.eve)).status).toBe(404)
    expect((await text(`certId=${certId}`, other.ada)).status).toBe(404)
  })

  test('shows its revocation', async () => {
    const { certificate } = await pki.ada.call(calls.info, { certId: ids['epsilon.test'] ?? '' })
    expect(certificate).toMatchObject({ status: 'revoked', revocationReason: 'superseded' })
    expect((await pki.ada.call(calls.statusByRequest, { rid: certificate.requestId ?? '' })).status).toBe('revoked')
    expect((await pki.ada.call(calls.requests, { status: 'revoked' })).rows.map(({ certificateId }) => certificateId)).toEqual([
      ids['epsilon.test'],
    ])
    const found = await inTenant(house.house.database, pki.tenancy.id, (db) =>
      findCertificate(db, pki.tenancy.id, { certId: ids['epsilon.test'] ?? '' }, house.clock.now()),
    )
    expect(found?.revoked?.reason).toBe('superseded')
  })
})

describe('the export', () => {
  test('holds the current list, with formulas defused', async () => {
    const templateId = await pki.addTemplate('TLSClient', {
      issueApprovers: 0,
      extensions: {
        certificateSubjects: [{ subjectField: 'CN', fieldValue: 'CommonName' }],
        certificateSans: [],
        extendedUsages: ['clientAuth'],
      },
    })
    await issue('=HYPERLINK("http://evil.test","x")', { templateId, values: { CommonName: ['=HYPERLINK("http://evil.test","x")'] } })
    const response = await pki.ada.fetch('/api2/PKI-v1/CertificatesExport')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const lines = (await response.text()).trimEnd().split('\r\n')
    expect(lines).toHaveLength(1 + (await pki.ada.call(calls.search, {})).total)
    expect(lines.some((line) => line.startsWith(`"'=HYPERLINK(""http`))).toBe(true)
    expect(lines.every((line) => !/(^|,)"?[=+@]/.test(line))).toBe(true)
    const some = await (await pki.ada.fetch('/api2/PKI-v1/CertificatesExport?status=revoked,expired')).text()
    expect(some.trimEnd().split('\r\n')).toHaveLength(3)
    expect((await pki.ada.fetch('/api2/PKI-v1/CertificatesExport?status=bogus')).status).toBe(400)
  })

  test('holds no other rows than were asked for: a filter that is misspelt, or given twice, is refused', async () => {
    const path = certificates.endpoints.exportCertificates.path
    const faults = async (answer: Response) => [
      answer.status,
      ((await answer.json()) as { fields: { field: string }[] }).fields.map(({ field }) => field),
    ]
    expect(await faults(await pki.ada.fetch(`${path}?text=alpha&text=beta`))).toEqual([400, ['text']])
    const post = async (body: object) =>
      faults(await pki.ada.fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }))
    expect(await post({ selection: { selectAll: true }, query: { statuss: ['active'] } })).toEqual([400, ['query.statuss']])
    expect(await post({ selection: { selectAll: true }, qurey: { status: ['active'] } })).toEqual([400, ['qurey']])
    expect(await post({ selection: { selectAll: true, exclusionlist: [ids['alpha.example.org']] } })).toEqual([
      400,
      ['selection.exclusionlist'],
    ])
    const wanted = await pki.ada.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        selection: { selectAll: true },
        query: { status: ['revoked'], page: 2, size: 50, sort: 'name', direction: 'asc' },
      }),
    })
    expect((await wanted.text()).trimEnd().split('\r\n')).toHaveLength(2)
  })

  test.each(['a\u0000b', '\ud800'])('of a search for %j, which is no text, is refused before it begins', async (text) => {
    const body = JSON.stringify({ selection: { selectAll: true, inclusionList: [], exclusionList: [] }, query: { text } })
    const answer = await pki.ada.fetch('/api2/PKI-v1/CertificatesExport', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'invalid', fields: [{ field: 'query.text' }] })
  })
})

test('the requester hears of the end 30, 7 and 1 days before, once each', async () => {
  const mails = async () =>
    (await pki.tenancy.administrator.call(mail.calls.outbox, { size: 200, text: pki.ada.username })).rows.filter(
      ({ kind }) => kind === 'certificateExpiring',
    )
  const texts = async () =>
    Promise.all((await mails()).map(({ id }) => pki.tenancy.administrator.call(mail.calls.read, { id }).then(({ text }) => text)))
  const lettersAbout = async (name: string) => (await texts()).filter((text) => text.includes(name)).length
  await house.runJob(certificates.jobs.expiry)
  // One mail a person about all that are due, each in a line of its own.
  const first = await mails()
  expect(first).toHaveLength(1)
  await house.runJob(certificates.jobs.expiry)
  expect(await lettersAbout('gamma.test')).toBe(1)
  expect(await lettersAbout('alpha.example.org')).toBe(0)
  house.clock.advance(4 * day)
  await house.runJob(certificates.jobs.expiry)
  expect(await lettersAbout('gamma.test')).toBe(2)
  house.clock.advance(5 * day)
  await house.runJob(certificates.jobs.expiry)
  await house.runJob(certificates.jobs.expiry)
  expect(await lettersAbout('gamma.test')).toBe(3)
  expect(await lettersAbout('epsilon.test')).toBe(0)
})

describe('A certificate is found by', () => {
  let pem = ''
  beforeAll(async () => {
    const subject = [
      ['CN', 'CommonName'],
      ['O', 'Zhao, Sons & Co'],
      ['OU', 'Harbour'],
      ['C', 'NZ'],
    ].map(([subjectField = '', fieldValue = '']) => ({ subjectField, fieldValue }))
    const templateId = await pki.addTemplate('Device', {
      extensions: { extendedUsages: ['serverAuth'], certificateSubjects: subject as { subjectField: 'CN'; fieldValue: string }[] },
    })
    await issue('zeta.example.org', { templateId, values: { DNS: ['zeta.example.org'], CommonName: ['zeta.example.org'] } })
    pem = (await pki.ada.call(calls.info, { certId: ids['zeta.example.org'] ?? '' })).certificate.pem
  })
  const shown = (...options: string[]) => tools.run('x509', '-noout', '-in', tools.write(pem), ...options).trim()
  const sha1 = () => shown('-fingerprint', '-sha1').split('=')[1] ?? ''

  test.each([
    ['its SHA-1 fingerprint', sha1],
    ['without colons', () => sha1().replaceAll(':', '')],
    ['as Windows copies it', () => `\u200e${sha1().toLowerCase().replaceAll(':', ' ')}`],
    ['as .NET writes it', () => sha1().replaceAll(':', '-')],
    [
      'as the console shows it',
      async () =>
        (await pki.ada.call(calls.info, { certId: ids['zeta.example.org'] ?? '' })).certificate.fingerprintSha1.replaceAll(
          /....(?=.)/g,
          '$& ',
        ),
    ],
    ['with its label', () => shown('-fingerprint', '-sha1')],
    ['its beginning', () => sha1().slice(0, 14)],
    ['its SHA-256 fingerprint with its label', () => shown('-fingerprint', '-sha256')],
    ['its serial number with its label', () => shown('-serial')],
    ['its subject', () => shown('-subject')],
    ['as RFC 4514 has it', () => shown('-subject', '-nameopt', 'RFC2253')],
    ['as OpenSSL once wrote it', () => shown('-subject', '-nameopt', 'compat')],
    ['by lines', () => shown('-subject', '-nameopt', 'multiline')],
    ['its common name', () => 'CN=zeta.example.org'],
    ['its organisation', () => 'O = Zhao, Sons'],
    ['its organisational unit', () => 'ou=harbour'],
    ['an organisation with a status beside it', () => 'zeta O=Zhao'],
  ])('%s', async (_what, text) => {
    expect(await names({ text: await text() })).toEqual(['zeta.example.org'])
  })

  test.each([
    'CN=zeta.example.org,O=Umbrella',
    'O=Harbour',
    'O=Sons',
    'CN=nobody',
    '00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33',
  ])('and nothing by what it does not say: %s', async (text) => {
    expect(await names({ text })).toEqual([])
  })

  test('and all where only the name of an attribute is typed yet', async () => {
    expect(await names({ text: 'CN=' })).toEqual(await names({}))
  })

  test('of those that were stored before it could be found so, after the job has run', async () => {
    const searched = async () => [await names({ text: sha1() }), await names({ text: 'O=Zhao' })]
    await house.asOwner(`delete from certificate_words where word like 'sha1:%' or word like 'o=%'`)
    expect(await searched()).toEqual([[], []])
    await house.asOwner(
      `insert into certificate_words_due (tenant_id, after) values ('${pki.tenancy.id}', '00000000-0000-0000-0000-000000000000')`,
    )
    await house.runJob(certificates.jobs.words)
    await house.runJob(certificates.jobs.words)
    expect(await searched()).toEqual([['zeta.example.org'], ['zeta.example.org']])
    await house.asOwner(`do $$ begin assert not exists (select from certificate_words_due); end $$`)
  })
})
