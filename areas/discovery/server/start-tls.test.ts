// Servers that begin in the clear are found as those that do not, each by the words of its protocol.

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { startTlsKinds } from '#standards/start-tls/kinds.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { discovery } from '../contract.ts'
import { startTlsAt, startTlsWords } from '../rules.ts'
import { openStartTls } from './start-tls.fixture.ts'

const tools = openToolFolder()
tools.run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '20', '-subj', '/CN=mail.example.org', '-addext', 'subjectAltName=DNS:mail.example.org', '-keyout', tools.path('s.key'), '-out', tools.path('s.pem')) // prettier-ignore
const identity = { key: readFileSync(tools.path('s.key'), 'utf8'), cert: readFileSync(tools.path('s.pem'), 'utf8') }
const servers = await Promise.all(startTlsKinds.map(async (protocol) => ({ protocol, ...(await openStartTls(protocol, identity)) })))
const without = await openStartTls('smtp', { ...identity, refuses: '454 TLS not available\r\n' })
const house = await useHouse({ background: true, settings: { CHANCERY_OUTWARD_ALLOW: '127.66.0.0/16' } })
afterAll(async () => {
  await Promise.all([...servers, without].map((one) => one.close()))
  tools.remove()
})
const { calls } = discovery
let ada: TestPerson
beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
  const { id } = await ada.call(calls.proposeNetwork, { cidr: '127.66.0.0/16' })
  await ada.call(calls.decideNetwork, { id, allowed: true })
})

async function ran(draft: { name: string; ports: number[]; startTls: { port: number; protocol: (typeof startTlsKinds)[number] }[] }) {
  const { id } = await ada.call(calls.addSource, { targets: ['127.66.0.5'], rate: 500, ...draft })
  await ada.call(calls.run, { id })
  const one = async () => (await ada.call(calls.sources, {})).sources.find((source) => source.id === id)
  await expect.poll(one, { interval: 100 }).toMatchObject({ lastRun: { state: 'done' } })
  return one()
}

test('Each protocol is spoken until its server goes on encrypted, and the finding says by which', async () => {
  const startTls = servers.map(({ port, protocol }) => ({ port, protocol }))
  const source = await ran({ name: 'Mail and more', ports: servers.map(({ port }) => port), startTls })
  const { rows } = await ada.call(calls.search, { size: 50 })
  const protocols = await Promise.all(rows.map(async ({ id, port }) => [port, (await ada.call(calls.read, { id })).protocol] as const))
  expect(new Map(protocols)).toEqual(new Map(servers.map(({ port, protocol }) => [port, `${startTlsWords[protocol]}, TLSv1.3`])))
  expect(source).toMatchObject({ startTls, lastRun: { answered: servers.length, fresh: servers.length } })
  expect(rows.every(({ name }) => name === 'mail.example.org')).toBe(true)
})

test('A server that has no TLS, or speaks another protocol, counts as silent and nothing is kept of it', async () => {
  const [smtp, imap] = servers.filter(({ protocol }) => protocol === 'smtp' || protocol === 'imap').map(({ port }) => port)
  const wrong = [
    { port: without.port, protocol: 'smtp' as const },
    { port: smtp ?? 0, protocol: 'ldap' as const },
    { port: imap ?? 0, protocol: 'postgresql' as const },
  ]
  const before = (await ada.call(calls.search, {})).total
  const source = await ran({ name: 'Wrong', ports: wrong.map(({ port }) => port), startTls: wrong })
  expect(source?.lastRun).toMatchObject({ answered: 0, fresh: 0 })
  expect((await ada.call(calls.search, {})).total).toBe(before)
})

test('The number of a port says its protocol, unless the scan says otherwise', () => {
  expect([25, 143, 389, 443, 5432].map((port) => startTlsAt(port, []))).toEqual(['smtp', 'imap', 'ldap', undefined, 'postgresql'])
  expect(startTlsAt(389, [{ port: 389, protocol: 'tls' }])).toBeUndefined()
  expect(startTlsAt(2_525, [{ port: 2_525, protocol: 'smtp' }])).toBe('smtp')
})
