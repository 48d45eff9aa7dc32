// One policy at every door: what a template forbids is refused by the console before and at sending, on the public request page, and by ACME, in the same words.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { askAnonymously } from '#areas/certificates/anonymous.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { licensing } from '#areas/licensing/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import type { Rules } from '#areas/templates/rules.ts'
import { Fault } from '#core/server/fault.ts'
import { CallRefused } from '#core/testing/caller.ts'
import { openAcme, type AcmeFixture } from './acme.fixture.ts'
import { derOf, proveByFile, type Answer } from './client.fixture.ts'

let on: AcmeFixture
beforeAll(async () => {
  on = await openAcme()
})
afterAll(() => on.close())

type Asked = { csr: string; names: string[] }
const asked = (names: string[], more: { key?: string[]; keyFile?: string; extensions?: string[] } = {}): Asked => {
  const { extensions = [], ...key } = more
  const sans = names.map((name) => (/^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',')
  return { csr: on.tools.csr({ subject: '/', extensions: [`subjectAltName=${sans}`, ...extensions], ...key }).csr, names }
}

const rules: Rules = {
  keys: ['P-256', 'RSA-2048'],
  allowedDomains: ['*.example.org'],
  allowedAddresses: ['10.0.0.0/8'],
  wildcards: false,
  maximumNames: 2,
}

/** A key that was compromised: its certificate was revoked for that. */
async function compromisedKey(): Promise<string> {
  const { csr, keyFile } = on.tools.csr({ extensions: ['subjectAltName=DNS:lost.example.org'], subject: '/' })
  const { certificateId = '' } = await on.pki.ada.call(certificates.calls.requestForDevice, { templateId: on.templateId, csr })
  await on.pki.ada.call(revocation.calls.revoke, { certId: certificateId, reason: 'keyCompromise' })
  return keyFile
}

const refusalsOf = async (attempt: Promise<unknown>): Promise<string[]> => {
  try {
    await attempt
    return ['none']
  } catch (error) {
    if (error instanceof CallRefused) return error.fields.map(({ says }) => says)
    if (error instanceof Fault) return (error.detail.fields ?? []).map(({ says }) => says)
    throw error
  }
}

/** As far as ACME goes with it, and what it says then. */
async function byAcme(templateId: string, { csr, names }: Asked): Promise<string> {
  const { url } = await on.addDirectory({ profiles: [{ name: 'default', templateId }] })
  const client = await on.registered(url)
  for (const name of names) on.dns.names.set(name, [{ type: 'A', value: '127.0.0.1' }])
  const told = ({ body }: Answer): string =>
    [body.error?.detail, body.detail, ...(body.subproblems ?? []).map(({ detail }) => detail)].filter(Boolean).join(' ')
  const order = await client.order(names)
  if (order.status !== 201) return told(order)
  const ready = await proveByFile(client, on.web, order)
  return told(await client.post(ready.body.finalize, { csr: derOf(csr) }))
}

test.each<[string, () => Promise<Asked> | Asked, string]>([
  ['a name that is not allowed', () => asked(['www.example.com']), 'www.example.com'],
  ['a wildcard', () => asked(['*.a.example.org']), 'wildcard'],
  ['a network that is not allowed', () => asked(['www.example.org', '192.168.1.1']), '192.168.1.1'],
  ['a reserved address', () => asked(['www.example.org', '169.254.1.1']), 'link-local'],
  ['too many names', () => asked(['a.example.org', 'b.example.org', 'c.example.org']), 'At most 2'],
  ['a kind of key that is not allowed', () => asked(['k.example.org'], { key: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'] }), 'P-384'],
  ['a weak key', () => asked(['w.example.org'], { key: ['rsa:1024'] }), '1024'],
  ['a compromised key', async () => asked(['l.example.org'], { keyFile: await compromisedKey() }), 'compromise'],
  ['a use that it does not give', () => asked(['u.example.org'], { extensions: ['extendedKeyUsage=codeSigning'] }), 'ode signing'],
])('%s is refused at every door', async (_what, make, word) => {
  const templateId = await on.pki.addTemplate('TLSServer', { issueApprovers: 0, rules })
  await on.pki.tenancy.administrator.call(licensing.calls.setFlags, {
    licensedTemplateId: templateId,
    enabled: true,
    anonymousEnabled: true,
    selfServiceEligible: false,
  })
  const request = await make()
  const { csr } = request
  const checked = await on.pki.ada.call(certificates.calls.check, { templateId, csr, entity: 'device' })
  const verdict = checked.faults.map(({ says }) => says)
  expect(verdict.join(' ')).toContain(word)
  const before = (await on.admin.call(certificates.calls.search, { size: 1 })).total
  expect(await refusalsOf(on.pki.ada.call(certificates.calls.requestForDevice, { templateId, csr }))).toEqual(verdict)
  expect(await refusalsOf(on.pki.ada.call(certificates.calls.request, { templateId, csr, entity: 'device' }))).toEqual(verdict)
  const stranger = { tenantId: on.pki.tenancy.id, address: '192.0.2.1', templateId, csr, values: {}, contactEmail: '', comment: '' }
  expect(await refusalsOf(askAnonymously(on.house.house, stranger))).toEqual(verdict)
  expect(await byAcme(templateId, request)).toContain(word)
  expect((await on.admin.call(certificates.calls.search, { size: 1 })).total).toBe(before)
})
