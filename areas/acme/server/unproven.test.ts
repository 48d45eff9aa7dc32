// What was given to nobody: names of a CSR that were not proven, a directory that wants an external account by now, and rights that a token does not have.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { renewal } from '#areas/renewal/contract.ts'
import { addToken } from '#areas/sessions/service.ts'
import { templates } from '#areas/templates/contract.ts'
import type { DraftOf } from '#core/contract/contract.ts'
import type { Permission } from '#core/contract/permission-labels.ts'
import { inTenant } from '#core/server/database.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { formatName } from '#standards/x509/names.ts'
import { acme } from '../contract.ts'
import { openAcme, type AcmeFixture } from './acme.fixture.ts'
import { derOf, proveByFile } from './client.fixture.ts'

let on: AcmeFixture
beforeAll(async () => {
  on = await openAcme({
    'r.example.org': [{ type: 'A', value: '127.0.0.1' }],
    'o.example.org': [{ type: 'A', value: '127.0.0.1' }],
    'm.example.org': [{ type: 'A', value: '127.0.0.1' }],
    'e.example.org': [{ type: 'A', value: '127.0.0.1' }],
  })
})
afterAll(() => on.close())

const commonName = { subjectField: 'CN', fieldValue: 'CommonName' } as const
const dnsName = { sanField: 'DNS', fieldValue: 'DNS' } as const

/** Finalises with a CSR that says more than was proven. */
async function finalised(name: string, unproven: string, change: Partial<DraftOf<typeof templates.calls.setExtensions>>) {
  const templateId = await on.pki.addTemplate('TLSServer', { issueApprovers: 0 })
  await on.pki.ada.call(templates.calls.setExtensions, { ...change, templateId })
  const { url } = await on.addDirectory({ profiles: [{ name: 'default', templateId }] })
  const client = await on.registered(url)
  const ready = await proveByFile(client, on.web, await client.order([name]))
  const csr = derOf(on.tools.csr({ subject: `${unproven}/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] }).csr)
  return { client, done: await client.post(ready.body.finalize, { csr }) }
}

test('An organisation in a CSR stays out of the certificate, although the template has a place for it', async () => {
  const { client, done } = await finalised('o.example.org', '/O=Globex Bank', {
    certificateSubjects: [commonName, { subjectField: 'O', fieldValue: 'Organisation' }],
  })
  const { text } = await client.ask(done.body.certificate)
  const { subject } = parseCertificate(Buffer.from(derOf(text.split('-----END')[0] ?? ''), 'base64url'))
  expect(formatName(subject)).toBe('CN=o.example.org')
})

test('An e-mail address in the subject of a CSR becomes no alternative name: a template that wants one gives nothing', async () => {
  const { done } = await finalised('m.example.org', '/emailAddress=ceo@example.org', {
    certificateSubjects: [commonName, { subjectField: 'emailAddress', fieldValue: 'Email' }],
    certificateSans: [dnsName, { sanField: 'RFC822', fieldValue: 'Email' }],
  })
  expect([done.body.status, done.body.error.type]).toEqual(['invalid', 'urn:ietf:params:acme:error:badCSR'])
})

test('An order that waits for approval keeps the names that were proven: its request is edited by nobody', async () => {
  const templateId = await on.pki.addTemplate('TLSServer', { issueApprovers: 1 })
  const { url } = await on.addDirectory({ profiles: [{ name: 'default', templateId }] })
  await on.issue(await on.registered(url), ['w.example.org'])
  const [order] = (await on.admin.call(acme.calls.orders, { text: 'w.example.org' })).rows
  const { requestId = '' } = await on.admin.call(acme.calls.order, { id: order?.id ?? '' })
  const { csr } = on.tools.csr({ subject: '/', extensions: ['subjectAltName=DNS:bank.example.com'] })
  const edited = on.admin.call(certificates.calls.edit, { requestId, csr })
  await expect(edited).rejects.toMatchObject({ status: 400, fields: [{ field: 'requestId' }] })
})

test('An account without EAB gets nothing more once its directory wants one, not for what it has ordered either', async () => {
  const { url, id } = await on.addDirectory()
  const client = await on.registered(url)
  const ready = await proveByFile(client, on.web, await client.order(['e.example.org']))
  const { version, url: _, ownerName: _name, ownerMayAsk: _may, ...draft } = await on.admin.call(acme.calls.directory, { id })
  await on.admin.call(acme.calls.changeDirectory, { ...draft, version, eabRequired: true })
  for (const answer of [
    await client.order(['e.example.org']),
    await client.post(client.directory['newAuthz'] ?? '', { identifier: { type: 'dns', value: 'e.example.org' } }),
    await client.post(ready.body.finalize, { csr: on.csr(['e.example.org']) }),
  ])
    expect([answer.status, answer.body.type]).toEqual([403, 'urn:ietf:params:acme:error:externalAccountRequired'])
  expect((await client.ask(client.kid)).status).toBe(200)

  const eab = await on.admin.call(acme.calls.addEab, { directoryId: id, name: 'Web', names: ['e.example.org'] })
  const bound = await on.client(url)
  expect((await bound.register({ externalAccountBinding: await bound.binding(eab) })).status).toBe(201)
  expect((await bound.order(['e.example.org'])).status).toBe(201)
})

test('A token saves no directory that would ask for more than the token may itself', async () => {
  const { admin, house, pki } = on
  const templateId = await pki.addTemplate('TLSServer', { accessLevel: 'ADMINISTRATOR' })
  const saved = async (scopes: Permission[], profile = on.templateId) => {
    const now = house.clock.now()
    const { token } = await inTenant(house.house.database, admin.tenantId, (db) =>
      addToken(db, { tenantId: admin.tenantId, userId: admin.id, name: '', scopes, expiresAt: new Date(now.getTime() + 86_400_000) }, now),
    )
    const { path, method } = acme.calls.addDirectory
    const answer = await house.fetch(path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Directory of ${scopes.length} scopes`, profiles: [{ name: 'default', templateId: profile }] }),
    })
    return answer.status
  }
  expect(await saved(['acmeConfiguration'])).toBe(403)
  expect(await saved(['acmeConfiguration', 'certSigningRequest'], templateId)).toBe(400)
  expect(await saved(['acmeConfiguration', 'certSigningRequest'])).toBe(200)
  expect(await saved(['acmeConfiguration', 'certSigningRequest', 'manageCAs'], templateId)).toBe(200)
})

test('A certificate is not renewed by the house, whatever its template says: its client proves the name again', async () => {
  const templateId = await on.pki.addTemplate('TLSServer', { issueApprovers: 0 })
  await on.pki.ada.call(templates.calls.setExtensions, { templateId, renewalMode: 'AUTOMATIC_SAME_KEY' })
  const { url } = await on.addDirectory({ profiles: [{ name: 'default', templateId }] })
  await on.issue(await on.registered(url), ['r.example.org'])
  const named = async (by: TestPerson) => (await by.call(certificates.calls.search, { text: 'r.example.org' })).rows
  const [first] = await named(on.admin)
  on.house.clock.advance(new Date(first?.notAfter ?? 0).getTime() - on.house.clock.now().getTime() - 86_400_000)
  await on.house.runJob(renewal.jobs.run)
  // Sessions of a year ago are over.
  expect(await named(await on.pki.tenancy.person({ permissions: ['certView'] }))).toHaveLength(1)
})
