// One policy at every door: what a template forbids is refused by SCEP, EST, CMP and Windows in the words in which the console refuses it, and stands so in the transactions.

import { execFile } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { readStoredRequest } from '#areas/templates/requests.ts'
import type { Rules } from '#areas/templates/rules.ts'
import { protocolRoom } from '../contract.ts'
import type { Protocol } from '../rules.ts'
import { openProtocols, type ProtocolFixture } from './protocols.fixture.ts'
import { deviceOf } from './scep-client.fixture.ts'
import { windowsClient } from './windows-client.fixture.ts'

let on: ProtocolFixture
let templateId: string
const rules: Rules = {
  keys: ['P-256', 'RSA-2048'],
  allowedDomains: ['*.example.org'],
  allowedAddresses: ['10.0.0.0/8'],
  wildcards: false,
  maximumNames: 2,
}
beforeAll(async () => {
  on = await openProtocols()
  templateId = await on.pki.addTemplate('TLSServer', { issueApprovers: 0, rules })
})
afterAll(() => on.close())

const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
const pemOf = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE REQUEST-----`

/** Of a profile of its own, with a secret for whatever the template allows. */
async function door(protocol: Protocol) {
  const { id, url } = await on.addProfile(protocol, { templateId })
  const { secret, reference } = await on.secret(id, { names: {} })
  return { url: new URL(url), secret, reference, client: () => on.client(url) }
}

async function reasonOf(protocol: Protocol): Promise<string | undefined> {
  const [row] = (await on.admin.call(protocolRoom.calls.transactions, { protocol, size: 1 })).rows
  return row?.state === 'refused' ? row.reason : row?.state
}

async function byEst(csr: string): Promise<void> {
  const { url, secret } = await door('est')
  await on.fetchFrom(`${url.pathname}/simpleenroll`, {
    method: 'POST',
    headers: { 'content-type': 'application/pkcs10', authorization: `Basic ${Buffer.from(`device:${secret}`).toString('base64')}` },
    body: derOf(csr).toString('base64'),
  })
}

/** Names stand in the secret there, and are judged all the same. */
async function byWindows(csr: string): Promise<void> {
  const { id, url } = await on.addProfile('windows', { templateId })
  const read = readStoredRequest(derOf(csr))
  const names: Record<string, string[]> = {}
  if (!('faults' in read)) for (const { field, value } of read.details.sans) (names[field] ??= []).push(value)
  const { secret: password } = await on.secret(id, { names: Object.keys(names).length === 0 ? { DNS: ['w.example.org'] } : names })
  await windowsClient(on.house.origin, url).enrol(derOf(csr), { password })
}

async function byCmp(csr: string): Promise<void> {
  const { url, secret, reference } = await door('cmp')
  const file = on.tools.write(csr)
  const server = ['-server', new URL(on.house.origin).host, '-path', url.pathname.slice(1)]
  const asked = [
    '-cmd',
    'p10cr',
    '-ref',
    reference,
    '-secret',
    `pass:${secret}`,
    '-recipient',
    '/CN=CA',
    '-csr',
    file,
    '-certout',
    `${file}.crt`,
  ]
  // The server answers from this process: it must not wait for the client.
  await new Promise<void>((resolve) => execFile('openssl', ['cmp', ...server, ...asked], () => resolve()))
}

const asked = (names: string[], { key, extensions = [] }: { key?: string[]; extensions?: string[] } = {}): string => {
  const sans = names.map((name) => (/^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',')
  return on.tools.csr({ subject: '/', extensions: [`subjectAltName=${sans}`, ...extensions], ...(key === undefined ? {} : { key }) }).csr
}

async function verdictOf(csr: string): Promise<string> {
  const { faults } = await on.pki.ada.call(certificates.calls.check, { templateId, csr, entity: 'device' })
  return faults.map(({ says }) => says).join('; ')
}

test.each<[string, () => string, string]>([
  ['a name that is not allowed', () => asked(['www.example.com']), 'www.example.com'],
  ['a wildcard', () => asked(['*.a.example.org']), 'wildcard'],
  ['a network that is not allowed', () => asked(['www.example.org', '192.168.1.1']), '192.168.1.1'],
  ['a reserved address', () => asked(['www.example.org', '169.254.1.1']), 'link-local'],
  ['too many names', () => asked(['a.example.org', 'b.example.org', 'c.example.org']), 'At most 2'],
  ['a kind of key that is not allowed', () => asked(['k.example.org'], { key: ['ec', '-pkeyopt', 'ec_paramgen_curve:P-384'] }), 'P-384'],
  ['a weak key', () => asked(['w.example.org'], { key: ['rsa:1024'] }), '1024'],
  ['a use that it does not give', () => asked(['u.example.org'], { extensions: ['extendedKeyUsage=codeSigning'] }), 'ode signing'],
])('%s is refused by EST, by CMP and by Windows in the same words', async (_what, make, word) => {
  const csr = make()
  const verdict = await verdictOf(csr)
  expect(verdict).toContain(word)
  await byEst(csr)
  expect(await reasonOf('est')).toBe(verdict)
  await byCmp(csr)
  expect(await reasonOf('cmp')).toBe(verdict)
  await byWindows(csr)
  expect(await reasonOf('windows')).toBe(verdict)
})

test.each([[['www.example.com']], [['*.a.example.org']], [['a.example.org', 'b.example.org', 'c.example.org']]])(
  'a device that asks for %j is refused by SCEP in the same words',
  async (names) => {
    const { client, secret } = await door('scep')
    const { csr, holder } = deviceOf(on.tools, { subject: `/CN=${names[0] ?? ''}`, names, challenge: secret })
    const { message } = await (await client()).send({ type: 'PKCSReq', content: csr, by: holder })
    const verdict = await verdictOf(pemOf(csr))
    expect(message.failInfoText).toContain(verdict)
    expect(await reasonOf('scep')).toBe(verdict)
  },
)
