// One policy at every door: what a template forbids is refused in the same words by the console before and at sending, by a program, on the public request page, by
// ACME, SCEP, EST, CMP and Windows, and stands so in the transactions. Nothing is issued, and no secret is spent.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAcme, type AcmeFixture } from '#areas/acme/server/acme.fixture.ts'
import { proveByFile, type AcmeClient, type Answer } from '#areas/acme/server/client.fixture.ts'
import { askAnonymously } from '#areas/certificates/anonymous.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { licensing } from '#areas/licensing/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import type { Rules } from '#areas/templates/rules.ts'
import { Fault } from '#core/server/fault.ts'
import { CallRefused, type Caller } from '#core/testing/caller.ts'
import { protocolRoom } from '../contract.ts'
import type { Protocol } from '../rules.ts'
import { buildCmpRequest } from './cmp-client.fixture.ts'
import { protocolsIn } from './protocols.fixture.ts'
import { deviceOf, namesText, type scepClient } from './scep-client.fixture.ts'
import { derOf, windowsClient } from './windows-client.fixture.ts'

const rules: Rules = {
  keys: ['P-256', 'RSA-2048'],
  allowedDomains: ['*.example.org'],
  allowedAddresses: ['10.0.0.0/8'],
  wildcards: false,
  maximumNames: 2,
}

type Place = { id: string; url: string; secret: string; reference: string }
let on: AcmeFixture
let doors: Awaited<ReturnType<typeof protocolsIn>>
let templateId: string
let browser: Caller
let client: AcmeClient
let scep: Awaited<ReturnType<typeof scepClient>>
const places = new Map<Protocol, Place>()

beforeAll(async () => {
  on = await openAcme()
  doors = await protocolsIn(on)
  templateId = await on.pki.addTemplate('TLSServer', { issueApprovers: 0, rules })
  const flags = { enabled: true, anonymousEnabled: true, selfServiceEligible: false }
  await on.pki.tenancy.administrator.call(licensing.calls.setFlags, { licensedTemplateId: templateId, ...flags })
  browser = await on.pki.ada.session()
  client = await on.registered((await on.addDirectory({ profiles: [{ name: 'default', templateId }] })).url)
  for (const protocol of ['scep', 'est', 'cmp', 'windows'] as const) {
    const { id, url } = await doors.addProfile(protocol, { templateId })
    // At Windows a secret names its machine, so each request there has one of its own.
    const { secret, reference } = protocol === 'windows' ? { secret: '', reference: '' } : await doors.secret(id, { names: {} })
    places.set(protocol, { id, url, secret, reference })
  }
  scep = await doors.client(place('scep').url)
})
afterAll(() => on.close())

const place = (protocol: Protocol): Place => {
  const found = places.get(protocol)
  if (found === undefined) throw new Error(`There is no profile of ${protocol}`)
  return found
}
const pathOf = (protocol: Protocol): string => new URL(place(protocol).url).pathname

type Asked = { names: string[]; keyFile: string; extensions: string[]; csr: string }
function asked(
  names: string[],
  { key, keyFile, extensions = [] }: { key?: string[]; keyFile?: string; extensions?: string[] } = {},
): Asked {
  const more = { ...(key === undefined ? {} : { key }), ...(keyFile === undefined ? {} : { keyFile }) }
  return {
    names,
    extensions,
    ...on.tools.csr({ subject: '/', extensions: [`subjectAltName=${namesText(names)}`, ...extensions], ...more }),
  }
}

/** A key that was compromised: its certificate was revoked for that. */
async function compromisedKey(): Promise<string> {
  const { csr, keyFile } = on.tools.csr({ extensions: ['subjectAltName=DNS:lost.example.org'], subject: '/' })
  const { certificateId = '' } = await on.pki.ada.call(certificates.calls.requestForDevice, { templateId: on.templateId, csr })
  await on.pki.ada.call(revocation.calls.revoke, { certId: certificateId, reason: 'keyCompromise' })
  return keyFile
}

const refusalsOf = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    await attempt
    return 'none'
  } catch (error) {
    if (error instanceof CallRefused) return error.fields.map(({ says }) => says).join('; ')
    if (error instanceof Fault) return (error.detail.fields ?? []).map(({ says }) => says).join('; ')
    throw error
  }
}

/** As far as ACME goes with it, and what it says then. */
async function byAcme({ csr, names }: Asked): Promise<string> {
  for (const name of names) on.dns.names.set(name, [{ type: 'A', value: '127.0.0.1' }])
  const told = ({ body }: Answer): string =>
    [body.error?.detail, body.detail, ...(body.subproblems ?? []).map(({ detail }) => detail)].filter(Boolean).join(' ')
  const order = await client.order(names)
  if (order.status !== 201) return told(order)
  const ready = await proveByFile(client, on.web, order)
  return told(await client.post(ready.body.finalize, { csr: derOf(csr).toString('base64url') }))
}

/** What the client is told. A client of SCEP without a name of its own signs by what it asks for, with the challenge in its request. */
const byProtocol: Record<Protocol, (request: Asked) => Promise<string>> = {
  async scep({ names, keyFile, extensions }) {
    const { csr, holder } = deviceOf(on.tools, { subject: '/O=Acme', names, keyFile, extensions, challenge: place('scep').secret })
    const { message } = await scep.send({ type: 'PKCSReq', content: csr, by: holder, transactionId: randomUUID() })
    return message.failInfoText ?? ''
  },
  async est({ csr }) {
    const authorization = `Basic ${Buffer.from(`device:${place('est').secret}`).toString('base64')}`
    const headers = { 'content-type': 'application/pkcs10', authorization }
    return (await doors.fetchFrom(`${pathOf('est')}/simpleenroll`, { method: 'POST', headers, body: csr })).text()
  },
  async cmp({ csr }) {
    const message = buildCmpRequest({ ...place('cmp'), content: derOf(csr) })
    const headers = { 'content-type': 'application/pkixcmp' }
    const answer = await doors.fetchFrom(pathOf('cmp'), { method: 'POST', headers, body: Buffer.from(message) })
    return Buffer.from(await answer.arrayBuffer()).toString('utf8')
  },
  async windows({ csr, names }) {
    const { id, url } = place('windows')
    const wanted = Object.groupBy(names, (name) => (/^[\d.]+$/.test(name) ? 'IP' : 'DNS'))
    const { secret: password } = await doors.secret(id, { names: wanted })
    return (await windowsClient(on.house.origin, url).enrol(derOf(csr), { password })).fault ?? ''
  },
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
])('%s is refused at every door in the same words', async (_what, make, word) => {
  const request = await make()
  const { csr } = request
  const checked = await on.pki.ada.call(certificates.calls.check, { templateId, csr, entity: 'device' })
  const verdict = checked.faults.map(({ says }) => says).join('; ')
  expect(verdict).toContain(word)
  const before = (await doors.admin.call(certificates.calls.search, { size: 1 })).total
  for (const asker of [browser, on.pki.ada]) {
    expect(await refusalsOf(asker.call(certificates.calls.requestForDevice, { templateId, csr }))).toBe(verdict)
    expect(await refusalsOf(asker.call(certificates.calls.request, { templateId, csr, entity: 'device' }))).toBe(verdict)
  }
  const stranger = { tenantId: on.pki.tenancy.id, address: '192.0.2.1', templateId, csr, values: {}, contactEmail: '', comment: '' }
  expect(await refusalsOf(askAnonymously(on.house.house, stranger))).toBe(verdict)
  // ACME has proven the names before it sees the key, and says the same of each by itself.
  expect(await byAcme(request)).toContain(word)
  for (const protocol of ['scep', 'est', 'cmp', 'windows'] as const) {
    expect([protocol, await byProtocol[protocol](request)]).toEqual([protocol, expect.stringContaining(verdict)])
    const [row] = (await doors.admin.call(protocolRoom.calls.transactions, { protocol, size: 1 })).rows
    expect([protocol, row?.state, row?.reason]).toEqual([protocol, 'refused', verdict])
    const [secret] = (await doors.admin.call(protocolRoom.calls.secrets, { protocol, size: 1 })).rows
    expect([protocol, secret?.state, secret?.usesLeft]).toEqual([protocol, 'active', 1])
  }
  expect((await doors.admin.call(certificates.calls.search, { size: 1 })).total).toBe(before)
})
