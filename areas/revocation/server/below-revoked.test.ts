// What stands below a revoked authority: whoever verifies refuses it, so nothing more is issued there, through whichever door it is asked for.

import { afterAll, describe, expect, test } from 'vitest'
import { authorities } from '#areas/authorities/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { licensing } from '#areas/licensing/contract.ts'
import { renewal } from '#areas/renewal/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { createDefaultTemplates } from '#areas/templates/service.ts'
import { inTenant } from '#core/server/database.ts'
import { openTestHouse, refusal, type TestPerson } from '#core/testing/house.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { certIdFor } from '#standards/ocsp/cert-id.ts'
import { buildOcspRequest } from '#standards/ocsp/request.ts'
import { parseOcspResponse } from '#standards/ocsp/response.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { revocation } from '../contract.ts'
import { derOf, statusIn } from './revocation.fixture.ts'

const day = 86_400_000
const because = /^Bottom stands below Middle, which is revoked/

const house = await openTestHouse()
const tools = openSsl()
const head = await house.tenancy('Head office')
const branch = await house.tenancy('Branch')
const ada = await head.person({ permissions: 'all' })
const bob = await head.person({ permissions: 'all' })
const asker = await branch.person({ permissions: 'all' })
afterAll(async () => {
  await house.close()
  tools.close()
})

const create = async (CN: string, more: { issuerId?: string; pathLength?: number }) =>
  (
    await ada.call(authorities.calls.create, {
      kind: more.issuerId === undefined ? 'root' : 'subordinate',
      friendlyName: CN,
      subject: { CN },
      keyAlgorithm: 'P-256',
      ...more,
    })
  ).caId
const rootId = await create('Top', {})
const middleId = await create('Middle', { issuerId: rootId, pathLength: 2 })
const caId = await create('Bottom', { issuerId: middleId, pathLength: 1 })
const otherRoot = await create('Other', {})
const template = await inTenant(house.house.database, head.id, (db) =>
  createDefaultTemplates(db, { tenantId: head.id, caId, now: house.clock.now() }),
)
const ids = { atOnce: template['Device'] ?? '', agreed: template['TLSServer'] ?? '' }
const {
  caName: _,
  updatedAt: __,
  templateId: ___,
  version: ____,
  ...draft
} = await ada.call(templates.calls.get, { templateId: ids.atOnce })
const manual = (
  await ada.call(templates.calls.add, {
    ...draft,
    templateName: 'Renewed',
    extensions: { ...draft.extensions, renewalMode: 'MANUAL', validityPeriod: 90, validityPeriodUnits: 'DAYS', renewalDays: 60 },
  })
).templateId

const wish = (templateId: string, dns: string) => ({
  templateId,
  csr: tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] }).csr,
  values: { CommonName: [dns], DNS: [dns] },
})
const ask = (person: TestPerson, templateId: string, dns: string) => person.call(certificates.calls.requestForDevice, wish(templateId, dns))
const approve = async (requestId: string) =>
  bob.call(certificates.calls.decide, {
    requestId,
    round: (await bob.call(certificates.calls.approval, { requestId })).round,
    verdict: 'approve',
  })
const signBy = (signedBy: 'authority' | 'signer') =>
  ada.call(revocation.calls.setPublication, { caId, shards: 0, delta: false, deltaMinutes: 60, responderId: 'byKey', signedBy })
const signerOf = async () => (await ada.call(revocation.calls.publication, { caId })).signer

describe('below a revoked authority', () => {
  let before: Awaited<ReturnType<typeof ask>>
  let renewable: string
  let waiting: string
  let toCollect: string

  test('all is well until it is revoked', async () => {
    await ada.call(licensing.calls.licenseAuthority, { tenantId: branch.id, caId, enabled: true })
    await ada.call(licensing.calls.licenseTemplate, { tenantId: branch.id, templateId: ids.atOnce, enabled: true })
    before = await ask(ada, ids.atOnce, 'before.example.org')
    expect([before.status, (await ask(asker, ids.atOnce, 'licensed.example.org')).status]).toEqual(['issued', 'issued'])
    renewable = (await ask(ada, manual, 'renewed.example.org')).certificateId ?? ''
    waiting = (await ask(ada, ids.agreed, 'waiting.example.org')).requestId
    toCollect = (
      await ada.call(certificates.calls.requestForDevice, {
        templateId: ids.agreed,
        key: 'P-256',
        values: { CommonName: ['collected.example.org'], DNS: ['collected.example.org'] },
      })
    ).requestId
    expect(await approve(toCollect)).toMatchObject({ status: 'incomplete' })
    await signBy('signer')
    await house.runJob(revocation.jobs.signers)
    expect(await signerOf()).toBeDefined()
    house.clock.advance(40 * day)
    await ada.call(revocation.calls.revokeAuthority, { caId: middleId, reason: 'cACompromise', confirm: 'Middle' })
  })

  test('nothing is issued at once, and the reason is said before and when it is asked for', async () => {
    expect((await ada.call(certificates.calls.check, { ...wish(ids.atOnce, 'late.example.org'), entity: 'device' })).faults).toMatchObject([
      { field: 'templateId', says: expect.stringMatching(because) as string },
    ])
    expect((await refusal(ask(ada, ids.atOnce, 'late.example.org'))).fields[0]?.says).toMatch(because)
  })

  test('nothing is issued under a licence', async () => {
    expect((await refusal(ask(asker, ids.atOnce, 'late.licensed.example.org'))).fields[0]?.says).toMatch(because)
  })

  test('what is approved now, and what was approved before, fails with the reason', async () => {
    expect(await approve(waiting)).toMatchObject({ status: 'error', error: expect.stringMatching(because) as string })
    await ada.call(certificates.calls.collectKey, { requestId: toCollect, password: 'correct horse' }).catch(() => undefined)
    expect(await ada.call(certificates.calls.statusByRequest, { rid: toCollect })).toMatchObject({
      status: 'error',
      error: expect.stringMatching(because) as string,
      certificate: '',
    })
  })

  test('nothing is renewed', async () => {
    const refused = await ada.call(renewal.calls.renew, { certId: renewable }).catch((error: unknown) => error)
    expect(JSON.stringify([refused, String(refused)])).toContain('stands below Middle, which is revoked')
  })

  test('no authority is made below it, cross-certified by it or renewed by it', async () => {
    expect((await refusal(create('Too late', { issuerId: caId }))).fields).toMatchObject([
      { field: 'issuerId', says: expect.stringMatching(because) as string },
    ])
    expect((await refusal(ada.call(authorities.calls.crossCertify, { caId, otherCaId: otherRoot }))).fields).toMatchObject([
      { field: 'caId', says: expect.stringMatching(because) as string },
    ])
    expect((await refusal(ada.call(authorities.calls.renew, { caId, validityPeriod: 11 }))).fields[0]?.says).toMatch(/Middle is revoked/)
  })

  test('nobody is certified to sign its answers, and answers and lists go out all the same', async () => {
    await house.runJob(revocation.jobs.signers)
    await house.runJob(revocation.jobs.lists)
    const { publicId, certificate } = await ada.call(authorities.calls.view, { caId })
    const issuer = parseCertificate(derOf(certificate?.pem ?? ''))
    const asked = buildOcspRequest({ certIds: [certIdFor(issuer, Buffer.from(before.serialNumber ?? '', 'hex'))] })
    const response = await house.fetch(`/pki/ocsp/${publicId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/ocsp-request' },
      body: Buffer.from(asked),
    })
    const answer = parseOcspResponse(new Uint8Array(await response.arrayBuffer()))
    expect(statusIn(answer)).toBe('good')
    expect('responses' in answer && answer.certificates.length).toBe(0)
    const list = parseCrl(new Uint8Array(await (await house.fetch(`/pki/crl/${publicId}.crl`)).arrayBuffer()))
    expect(list.nextUpdate?.getTime()).toBeGreaterThan(house.clock.now().getTime())
  })

  test('other authorities go on, and a template of theirs issues', async () => {
    const elsewhere = await inTenant(house.house.database, head.id, (db) =>
      createDefaultTemplates(db, { tenantId: head.id, caId: otherRoot, now: house.clock.now() }),
    )
    expect((await ask(ada, elsewhere['Device'] ?? '', 'elsewhere.example.org')).status).toBe('issued')
  })
})
