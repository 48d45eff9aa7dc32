// The main job under a licence, in three tenancies: the owner, the licensee, and one that has nothing to do with it.

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openSsl, type OpenSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { certIdFor } from '#standards/ocsp/cert-id.ts'
import { buildOcspRequest } from '#standards/ocsp/request.ts'
import { parseOcspResponse } from '#standards/ocsp/response.ts'
import { decodePem } from '#standards/pem/pem.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { licensing } from '../contract.ts'

let tools: OpenSsl
let head: TestTenancy
let branch: TestTenancy
let owner: TestPerson
let asker: TestPerson
let approver: TestPerson
let outsider: TestPerson
let caId: string
let publicId: string
let caPem: string
let rootFile: string
let atOnce: string
let approved: string

const house = await useHouse()
beforeAll(async () => {
  tools = openSsl()
  head = await house.tenancy('Head office')
  branch = await house.tenancy('Branch')
  owner = await head.person({ permissions: 'all' })
  asker = await branch.person({ permissions: 'all', username: 'asker' })
  approver = await branch.person({ permissions: 'all', username: 'approver' })
  outsider = await (await house.tenancy('Sibling')).person({ permissions: 'all' })
  caId = (
    await owner.call(authorities.calls.create, {
      kind: 'root',
      friendlyName: 'Group Root',
      subject: { CN: 'Group Root' },
      keyAlgorithm: 'P-256',
    })
  ).caId
  const view = await owner.call(authorities.calls.view, { caId })
  publicId = view.publicId
  caPem = view.certificate?.pem ?? ''
  rootFile = tools.write(caPem)
  atOnce = await addTemplate('AtOnce', 0)
  approved = await addTemplate('Approved', 1)
  await owner.call(licensing.calls.licenseAuthority, { tenantId: branch.id, caId, enabled: true })
  for (const templateId of [atOnce, approved])
    await owner.call(licensing.calls.licenseTemplate, { tenantId: branch.id, templateId, enabled: true })
})
afterAll(async () => {
  tools.close()
})

const addTemplate = async (templateName: string, issueApprovers: number): Promise<string> =>
  (
    await owner.call(templates.calls.add, {
      templateName,
      caId,
      class: 'DEVICE',
      issueApprovers,
      extensions: { certificateSans: [{ sanField: 'DNS', fieldValue: 'DNS' }], extendedUsages: ['serverAuth'], ignoreCsrDetails: false },
      rules: { keys: ['P-256'], allowedDomains: ['*.example.org'] },
    })
  ).templateId

const wish = (templateId: string, dns: string) => ({
  templateId,
  csr: tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] }).csr,
})
const pemOf = async (certId: string) => (await asker.call(certificates.calls.info, { certId })).certificate.pem
const serialsOf = async (tenantId: string) =>
  (
    await inTenant(house.house.database, tenantId, (db) =>
      sql<{
        serial: string
        state: string
      }>`select encode(serial, 'hex') as serial, state from serials where about_kind = 'certificate' order by reserved_at`.execute(db),
    )
  ).rows

async function statusOf(pem: string): Promise<string> {
  const leaf = parseCertificate(decodePem(pem)[0]?.bytes ?? new Uint8Array())
  const issuer = parseCertificate(decodePem(caPem)[0]?.bytes ?? new Uint8Array())
  const response = await house.fetch(`/pki/ocsp/${publicId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/ocsp-request' },
    body: Buffer.from(buildOcspRequest({ certIds: [certIdFor(issuer, Buffer.from(leaf.serialHex, 'hex'))] })),
  })
  const answer = parseOcspResponse(new Uint8Array(await response.arrayBuffer()))
  return ('responses' in answer ? answer.responses[0]?.status : undefined) ?? answer.status
}

describe('Under a licence', () => {
  let certificateId = ''
  let serialNumber = ''

  test('a request is checked against the owner’s template and issued by the owner’s authority', async () => {
    const foreign = await asker.call(certificates.calls.check, { ...wish(atOnce, 'www.example.com'), entity: 'device' })
    expect(foreign.faults[0]?.says).toContain('outside the names that this template allows')
    const issued = await asker.call(certificates.calls.requestForDevice, wish(atOnce, 'www.example.org'))
    expect(issued).toMatchObject({ status: 'issued', caId })
    certificateId = issued.certificateId ?? ''
    serialNumber = issued.serialNumber ?? ''
    const file = tools.write(await pemOf(certificateId))
    expect(tools.run('verify', '-CAfile', rootFile, file)).toContain(': OK')
  })

  test('the serial is the owner’s and the certificate the licensee’s', async () => {
    expect(await serialsOf(head.id)).toEqual([{ serial: serialNumber, state: 'signed' }])
    expect(await serialsOf(branch.id)).toEqual([])
    expect((await asker.call(certificates.calls.search, {})).rows).toMatchObject([{ certificateId, caName: 'Group Root' }])
    expect((await owner.call(certificates.calls.search, {})).rows).toEqual([])
    expect(await refusal(owner.call(certificates.calls.info, { certId: certificateId }))).toMatchObject({ status: 404 })
    expect(await refusal(outsider.call(certificates.calls.info, { certId: `${caId}:${serialNumber}` }))).toMatchObject({ status: 404 })
  })

  test('both tenancies have it on record, the owner before the signature', async () => {
    const named = async (tenantId: string, area: string) =>
      (await audited(house, tenantId))
        .filter((event) => event.area === area && event.outcome === 'done' && event.body.includes(serialNumber))
        .map(({ name }) => name)
    expect(await named(branch.id, 'certificates')).toEqual(['reserved', 'issued'])
    expect(await named(head.id, 'licensing')).toEqual(['licensedReserved', 'licensedIssued'])
    const body = JSON.parse((await audited(house, head.id)).find(({ name }) => name === 'licensedReserved')?.body ?? '{}')
    expect(body).toMatchObject({ caId, serialNumber, tenantId: branch.id })
  })

  test('the chain comes with every download, and the authority stands among the choices', async () => {
    const { chain } = await asker.call(certificates.calls.info, { certId: certificateId })
    expect(chain.map(({ name }) => name)).toEqual(['Group Root'])
    const { content } = await asker.call(certificates.calls.download, { certId: certificateId, format: 'chain' })
    expect(Buffer.from(content, 'base64').toString()).toContain(caPem.trim())
    expect((await asker.call(certificates.calls.choices, {})).authorities).toEqual([{ value: caId, label: 'Group Root' }])
  })

  test('its own people approve, by the stricter of both rules', async () => {
    const waiting = await asker.call(certificates.calls.requestForDevice, wish(approved, 'mail.example.org'))
    expect(waiting.status).toBe('under_submission')
    expect(await refusal(owner.call(certificates.calls.approval, { requestId: waiting.requestId }))).toMatchObject({ status: 404 })
    const seen = await approver.call(certificates.calls.approval, { requestId: waiting.requestId })
    expect(seen.planned).toMatchObject({ issuer: 'CN=Group Root' })
    expect(
      await approver.call(certificates.calls.decide, { requestId: waiting.requestId, round: 1, verdict: 'approve', comment: '' }),
    ).toMatchObject({ status: 'issued' })
  })

  test('a key that is made here is certified, too', async () => {
    const asked = await asker.call(certificates.calls.requestForDevice, {
      templateId: atOnce,
      values: { CommonName: ['box.example.org'], DNS: ['box.example.org'] },
    })
    expect(asked.status).toBe('incomplete')
    const { pkcs12, serialNumber: serial } = await asker.call(certificates.calls.collectKey, {
      requestId: asked.requestId,
      password: 'correct horse battery',
    })
    const file = tools.write(Buffer.from(pkcs12, 'base64'))
    expect(tools.run('pkcs12', '-in', file, '-nokeys', '-passin', 'pass:correct horse battery').match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
    expect((await serialsOf(head.id)).map((row) => row.serial)).toContain(serial)
  })

  test('two who issue the same request at once get one certificate', async () => {
    const waiting = await asker.call(certificates.calls.requestForDevice, wish(approved, 'once.example.org'))
    const before = (await serialsOf(head.id)).length
    const votes = await Promise.allSettled(
      [1, 2, 3].map(() =>
        approver.call(certificates.calls.decide, { requestId: waiting.requestId, round: 1, verdict: 'approve', comment: '' }),
      ),
    )
    expect(votes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    await house.runJob(certificates.jobs.finish)
    expect((await serialsOf(head.id)).length).toBe(before + 1)
    expect((await asker.call(certificates.calls.search, { text: 'once' })).rows).toHaveLength(1)
  })

  test('what a crash left reserved is signed by recovery: the same bytes, the same serial', async () => {
    const waiting = await asker.call(certificates.calls.requestForDevice, wish(approved, 'crash.example.org'))
    const spoil = (from: string, to: string) =>
      house.asOwner(`update authorities set key_id = '${to}' where id = '${caId}' and key_id = '${from}'`)
    const [{ key_id: keyId } = { key_id: '' }] = (
      await inTenant(house.house.database, head.id, (db) =>
        sql<{ key_id: string }>`select key_id from authorities where id = ${caId}`.execute(db),
      )
    ).rows
    const nowhere = '018f0000-0000-7000-8000-000000000001'
    await spoil(keyId, nowhere)
    await approver
      .call(certificates.calls.decide, { requestId: waiting.requestId, round: 1, verdict: 'approve', comment: '' })
      .catch(() => {})
    const reserved = (await serialsOf(head.id)).filter(({ state }) => state === 'reserved')
    expect(reserved).toHaveLength(1)
    await spoil(nowhere, keyId)
    house.clock.advance(60_000)
    await house.runJob(certificates.jobs.finish)
    expect((await serialsOf(head.id)).find(({ serial }) => serial === reserved[0]?.serial)?.state).toBe('signed')
    expect((await asker.call(certificates.calls.search, { text: 'crash' })).rows).toMatchObject([{ serialNumber: reserved[0]?.serial }])
  })

  test('the licensee revokes, and OCSP and the owner’s list say so', async () => {
    const pem = await pemOf(certificateId)
    expect(await statusOf(pem)).toBe('good')
    await asker.call(revocation.calls.revoke, { certId: certificateId, reason: 'superseded' })
    expect(await statusOf(pem)).toBe('revoked')
    const listed = async () =>
      parseCrl(new Uint8Array(await (await house.fetch(`/pki/crl/${publicId}.crl`)).arrayBuffer())).find(Buffer.from(serialNumber, 'hex'))
        ?.reason
    await expect.poll(listed).toBe('superseded')
    expect((await audited(house, head.id)).filter(({ name }) => name === 'licensedRevoked').map(({ body }) => JSON.parse(body))).toEqual([
      { caId, serialNumber, tenantId: branch.id, reason: 'superseded' },
    ])
    expect(await refusal(asker.call(revocation.calls.makeList, { caId }))).toMatchObject({ status: 404 })
  })

  test('a key that the licensee revoked for compromise is certified by this authority for nobody, neither here nor at its owner', async () => {
    const dns = 'lost.example.org'
    const { csr, keyFile } = tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] })
    const { certificateId: lost = '' } = await asker.call(certificates.calls.requestForDevice, { templateId: atOnce, csr })
    await asker.call(revocation.calls.revoke, { certId: lost, reason: 'keyCompromise' })
    const again = tools.csr({ subject: '/CN=found.example.org', extensions: ['subjectAltName=DNS:found.example.org'], keyFile }).csr
    for (const who of [asker, owner]) {
      const { fields } = await refusal(who.call(certificates.calls.requestForDevice, { templateId: atOnce, csr: again }))
      expect(fields).toMatchObject([{ field: 'csr', says: expect.stringContaining('revoked for key compromise') }])
    }
  })

  test('another tenancy cannot use what is not licensed to it', async () => {
    expect(await refusal(outsider.call(certificates.calls.requestForDevice, wish(atOnce, 'www.example.org')))).toMatchObject({
      fields: [{ field: 'templateId', says: 'Choose one of the templates' }],
    })
  })
})

describe('A licence taken back', () => {
  test('ends new requests and what waits, and leaves what was issued to be seen and revoked', async () => {
    const { certificateId = '' } = await asker.call(certificates.calls.requestForDevice, wish(atOnce, 'last.example.org'))
    const waiting = await asker.call(certificates.calls.requestForDevice, wish(approved, 'late.example.org'))
    await owner.call(licensing.calls.licenseTemplate, { tenantId: branch.id, templateId: approved, enabled: false })
    expect(
      await approver.call(certificates.calls.decide, { requestId: waiting.requestId, round: 1, verdict: 'approve', comment: '' }),
    ).toMatchObject({ status: 'error', error: 'The licence for the template Approved was taken back' })
    await owner.call(licensing.calls.licenseAuthority, { tenantId: branch.id, caId, enabled: false })
    expect((await refusal(asker.call(certificates.calls.requestForDevice, wish(atOnce, 'more.example.org')))).fields).toMatchObject([
      { field: 'templateId' },
    ])
    expect((await asker.call(certificates.calls.info, { certId: certificateId })).chain).toHaveLength(1)
    await asker.call(revocation.calls.revoke, { certId: certificateId, reason: 'cessationOfOperation' })
    expect(await statusOf(await pemOf(certificateId))).toBe('revoked')
  })
})
