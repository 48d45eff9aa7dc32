import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import { devices } from '#areas/devices/contract.ts'
import { domains } from '#areas/domains/contract.ts'
import { networks } from '#areas/networks/contract.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { discovery } from '../contract.ts'
import { partSize } from '../rules.ts'
import { openServers } from './servers.fixture.ts'
import { updateNetwork } from './store.ts'

const servers = await openServers()
const { house, pki, close } = await openIssuingHouse({
  background: true,
  settings: { CHANCERY_OUTWARD_ALLOW: '127.64.0.0/16,127.65.0.0/16' },
})
afterAll(async () => {
  await close()
  await servers.close()
})
const calls = discovery.calls
let ada: TestPerson
let other: TestPerson
const scan = { ports: [servers.port], rate: 500 }

beforeAll(async () => {
  ada = pki.tenancy.administrator
  other = (await house.tenancy('Globex')).administrator
  for (const cidr of ['127.64.0.0/16', '192.168.0.0/16']) {
    const { id } = await ada.call(calls.proposeNetwork, { cidr })
    await ada.call(calls.decideNetwork, { id, allowed: true })
  }
})

async function ran(name: string, targets: string[], more: object = {}): Promise<string> {
  const { id } = await ada.call(calls.addSource, { name, targets, ...scan, ...more })
  await ada.call(calls.run, { id })
  await expect.poll(() => lastRun(id), { interval: 100 }).toMatchObject({ state: 'done' })
  return id
}
const lastRun = async (id: string) => (await ada.call(calls.sources, {})).sources.find((one) => one.id === id)?.lastRun

describe('What may be scanned', () => {
  test('is what the management tenancy has allowed, and nothing besides', async () => {
    const { id } = await other.call(calls.proposeNetwork, { cidr: '127.65.0.0/24' })
    await expect(other.call(calls.decideNetwork, { id, allowed: true })).rejects.toMatchObject({ code: 'managementOnly' })
    const draft = { name: 'Early', targets: ['127.65.0.1'], ...scan }
    await expect(other.call(calls.addSource, draft)).rejects.toMatchObject({ code: 'notAllowed', fields: [{ field: 'targets' }] })
    expect((await other.call(calls.preview, draft)).refused).toEqual(['127.65.0.1'])
    await expect(other.call(calls.proposeNetwork, { cidr: '0.0.0.0/0' })).rejects.toMatchObject({ code: 'tooWide' })
    await expect(other.call(calls.proposeNetwork, { cidr: '::/0' })).rejects.toMatchObject({ code: 'tooWide' })
    await expect(ada.call(calls.addSource, { name: 'Wide', targets: ['192.168.0.0/15'], ...scan })).rejects.toMatchObject({ status: 400 })
    for (const cidr of ['169.254.169.254', '::1', '127.0.0.1/32'])
      await expect(ada.call(calls.proposeNetwork, { cidr })).rejects.toMatchObject({ code: 'never', fields: [{ field: 'cidr' }] })
    for (const target of ['127.0.0.1', '127.63.255.255', '127.64.0.0/15', '169.254.169.254', '::1', '::ffff:127.64.0.1', '0.0.0.0/0'])
      await expect(ada.call(calls.addSource, { name: 'Out', targets: [target], ...scan })).rejects.toMatchObject({
        fields: [{ field: 'targets' }],
      })
    expect(servers.seen).toEqual([])
  })

  test('is asked of the management tenancy among its work, and decided from there for the tenancy that asks', async () => {
    const asked = async () => {
      const { workflowItems } = (await (await ada.fetch('/workflowItems')).json()) as { workflowItems: { kind: string; title: string }[] }
      return workflowItems.filter(({ kind }) => kind === 'scanNetwork').map(({ title }) => title)
    }
    const propose = async (cidr: string) => (await other.call(calls.proposeNetwork, { cidr })).id
    const [kept, left, gone] = [await propose('10.71.0.0/24'), await propose('10.72.0.0/24'), await propose('10.73.0.0/24')]
    await expect.poll(asked).toEqual(expect.arrayContaining(['10.71.0.0/24 · Globex', '10.73.0.0/24 · Globex']))
    expect((await ada.call(calls.networks, {})).asked.map(({ tenancy }) => tenancy)).toContain('Globex')
    expect((await other.call(calls.networks, {})).asked).toEqual([])
    await other.call(calls.removeNetwork, { id: gone })
    await expect(other.call(calls.decideAsked, { networkId: kept, allowed: true })).rejects.toMatchObject({ status: 404 })
    await ada.call(calls.decideAsked, { networkId: kept, allowed: true })
    await ada.call(calls.decideAsked, { networkId: left, allowed: false })
    const { networks: own } = await other.call(calls.networks, {})
    expect(own.filter(({ cidr }) => cidr.startsWith('10.7')).map(({ cidr, state }) => [cidr, state])).toEqual([
      ['10.71.0.0/24', 'allowed'],
      ['10.72.0.0/24', 'refused'],
    ])
    await expect.poll(async () => (await asked()).filter((title) => title.startsWith('10.7'))).toEqual([])
  })

  test('stays refused where somebody allows it from a list that was open since before', async () => {
    const { id } = await other.call(calls.proposeNetwork, { cidr: '10.74.0.0/24' })
    await expect.poll(async () => (await ada.call(calls.networks, {})).asked.map(({ cidr }) => cidr)).toContain('10.74.0.0/24')
    await withTenancy(house.house, other.tenantId, (tenancy) => updateNetwork(tenancy, id, { state: 'refused', decided_by: 'Grace' }))
    await expect(ada.call(calls.decideAsked, { networkId: id, allowed: true })).rejects.toMatchObject({ status: 404 })
    const { networks: own } = await other.call(calls.networks, {})
    expect(own.find((network) => network.id === id)).toMatchObject({ state: 'refused' })
    expect((await ada.call(calls.networks, {})).asked.map(({ cidr }) => cidr)).not.toContain('10.74.0.0/24')
  })

  test('never reaches this machine, though a network around it was allowed', async () => {
    const { id } = await ada.call(calls.proposeNetwork, { cidr: '127.80.0.0/24' })
    await ada.call(calls.decideNetwork, { id, allowed: true })
    expect(await lastRun(await ran('Own machine', ['127.80.0.0/28']))).toMatchObject({ answered: 0, refused: 16 })
    expect(servers.seen).toEqual([])
    expect((await ada.call(calls.search, {})).total).toBe(0)
  })

  test('ends for a scan whose network was taken back', async () => {
    const { id: networkId } = await ada.call(calls.proposeNetwork, { cidr: '127.81.0.0/24' })
    await ada.call(calls.decideNetwork, { id: networkId, allowed: true })
    const { id } = await ada.call(calls.addSource, { name: 'Taken back', targets: ['127.81.0.1'], ...scan })
    await ada.call(calls.removeNetwork, { id: networkId })
    await expect(ada.call(calls.run, { id })).rejects.toMatchObject({ code: 'notAllowed' })
  })
})

describe('A scan', () => {
  test('lists what ends soon, what has ended and what nobody trusts, each with its reasons, and leaves out what is excluded', async () => {
    servers.serve('127.64.0.10', { name: 'soon.example.org', days: 10 })
    servers.serve('127.64.0.11', { name: 'old.example.org', days: -1 })
    servers.serve('127.64.0.12', { name: 'self.example.org', days: 400, selfSigned: true })
    servers.serve('127.64.0.13', { name: 'left.example.org', days: 10 })
    await ada.call(networks.calls.addSubnet, { cidr: '127.64.0.0/24' })
    const { id: deviceId } = await ada.call(devices.calls.add, { name: 'soon', type: 'Server', endpoints: [{ address: '127.64.0.10', port: servers.port }] }) // prettier-ignore
    const exclusions = ['127.64.0.13', '127.64.0.12/31', '127.64.1.0/24']
    expect(await ada.call(calls.preview, { name: 'x', targets: ['127.64.0.8/29'], exclusions, ...scan })).toMatchObject({ probes: 6 })
    const wrong = { name: 'x', targets: ['127.64.0.8/29'], ...scan, names: ['good.example.org', 'bad name!'] }
    await expect(ada.call(calls.preview, wrong)).rejects.toMatchObject({ fields: [{ field: 'names.1' }] })
    const id = await ran('First', ['127.64.0.8/29'], { exclusions: ['127.64.0.13'] })
    expect(await lastRun(id)).toMatchObject({ position: 8, total: 8, answered: 3, fresh: 3, changed: 0 })
    expect(servers.seen).not.toContain('127.64.0.13')
    const named = async (view: 'closeToExpiry' | 'expired' | 'untrusted') =>
      (await ada.call(calls.search, { view, sort: 'address' })).rows.map(({ name, reasons }) => `${name}: ${reasons.join(' ')}`)
    expect(await named('closeToExpiry')).toEqual(['soon.example.org: unknownIssuer'])
    expect(await named('expired')).toEqual(['old.example.org: expired unknownIssuer'])
    expect(await named('untrusted')).toEqual([
      'soon.example.org: unknownIssuer',
      'old.example.org: expired unknownIssuer',
      'self.example.org: selfSigned',
    ])
    const { nodes, edges, folded } = await ada.call(calls.graph, {})
    expect([nodes.length, edges.length, folded]).toEqual([8, 6, 0])
    // The map of the subnet and the device know of it too.
    const { cells } = await ada.call(networks.calls.subnetMap, { cidr: '127.64.0.0/24' })
    expect([cells[10]?.seen, cells[13]?.seen]).toEqual([1, 0])
    const { deviceCertsEndpointMap } = await ada.call(devices.calls.endpoints, { id: deviceId })
    expect(Object.values(deviceCertsEndpointMap)).toMatchObject([[{ should: false, seenLast: expect.any(String) }]])
  })

  test('are listed by the week in which they end, as many as the overview counts for it', async () => {
    const { endsByWeek } = await ada.call(calls.overview, {})
    const listed: number[] = []
    for (const { span } of endsByWeek) listed.push((await ada.call(calls.search, { ends: span })).total)
    expect(listed).toEqual(endsByWeek.map(({ count }) => count))
    expect(listed.filter((count) => count > 0)).toEqual([1])
    await expect(ada.call(calls.search, { ends: 'soon' })).rejects.toMatchObject({ fields: [{ field: 'ends' }] })
  })

  test('run again finds nothing new, and tells what has changed', async () => {
    const [first] = (await ada.call(calls.sources, {})).sources.filter(({ name }) => name === 'First')
    servers.serve('127.64.0.12', { name: 'self.example.org', days: 300, selfSigned: true })
    await ada.call(calls.run, { id: first?.id ?? '' })
    await expect.poll(() => lastRun(first?.id ?? '')).toMatchObject({ state: 'done', fresh: 0, changed: 1 })
    const [row] = (await ada.call(calls.search, { text: 'self.example.org' })).rows
    expect((await ada.call(calls.read, { id: row?.id ?? '' })).changes.length).toBe(1)
  })

  test('that is stopped opens no further connection, and closes those that are open', async () => {
    for (let host = 0; host < 256; host += 1) servers.hang(`127.64.9.${host}`)
    const { id } = await ada.call(calls.addSource, {
      name: 'Long',
      targets: ['127.64.9.0/24', '127.64.10.0/24'],
      ports: [servers.port],
      rate: 20,
    })
    const { runId } = await ada.call(calls.run, { id })
    await expect(ada.call(calls.run, { id })).rejects.toMatchObject({ status: 409 })
    await expect.poll(() => servers.seen.some((address) => address.startsWith('127.64.9.'))).toBe(true)
    await expect(other.call(calls.stop, { runId })).rejects.toMatchObject({ status: 404 })
    await ada.call(calls.stop, { runId })
    await expect.poll(() => lastRun(id)).toMatchObject({ state: 'cancelled' })
    expect((await lastRun(id))?.position).toBeLessThan(512)
    expect(servers.seen.some((address) => address.startsWith('127.64.10.'))).toBe(false)
    await expect(ada.call(calls.stop, { runId })).rejects.toMatchObject({ code: 'ended' })
  })

  test('that is paused opens no further connection, and goes on from its part until all is counted once', async () => {
    const { id } = await ada.call(calls.addSource, {
      name: 'Paused',
      targets: ['127.64.9.0/25', '127.64.11.0/24', '127.64.12.0/25'],
      ...scan,
    })
    const { runId } = await ada.call(calls.run, { id })
    await expect.poll(() => servers.seen.some((address) => address.startsWith('127.64.9.'))).toBe(true)
    await ada.call(calls.pause, { runId, paused: true })
    await expect.poll(() => lastRun(id)).toMatchObject({ state: 'paused' })
    await expect.poll(() => servers.open()).toBe(0)
    // Once its turn has ended: what it had probed is kept by then.
    await house.runJob(discovery.jobs.scan)
    const before = await lastRun(id)
    const seen = servers.seen.length
    await house.runJob(discovery.jobs.scan)
    expect([servers.seen.length, (await lastRun(id))?.position]).toEqual([seen, before?.position])
    servers.unhang()
    await ada.call(calls.pause, { runId, paused: false })
    await expect.poll(() => lastRun(id)).toMatchObject({ state: 'done', position: 512, total: 512 })
  })

  test('whose part was broken off in the middle does that part anew, and counts nothing twice', async () => {
    for (let host = 1; host <= 40; host += 1) servers.serve(`127.64.13.${host}`, { name: `h${host}.kill.example.org`, days: 50 })
    const { id } = await ada.call(calls.addSource, { name: 'Killed', targets: ['127.64.13.0/24', '127.64.14.0/24'], ...scan })
    // As a server that dies when it writes its second part: what was committed stays, and nothing of the part is there.
    await house.asOwner(`create function broken() returns trigger language plpgsql as $$ begin if new.position > 256 then raise exception 'the server died'; end if; return new; end $$`) // prettier-ignore
    await house.asOwner('create trigger broken before update on discovery_runs for each row execute function broken()')
    await ada.call(calls.run, { id })
    await expect.poll(() => lastRun(id)).toMatchObject({ state: 'running', position: 256, answered: 40, fresh: 40 })
    await expect(house.runJob(discovery.jobs.scan)).rejects.toThrow(/the server died/)
    expect(await lastRun(id)).toMatchObject({ state: 'running', position: 256, answered: 40, fresh: 40 })
    await house.asOwner('drop trigger broken on discovery_runs')
    await house.runJob(discovery.jobs.scan)
    await expect.poll(() => lastRun(id)).toMatchObject({ state: 'done', position: 512, answered: 40, fresh: 40, changed: 0 })
    expect((await ada.call(calls.search, { text: 'kill.example.org' })).total).toBe(40)
  })

  test('that is paused keeps what it has probed, and goes on behind it', async () => {
    for (let host = 10; host < 256; host += 1) servers.hang(`127.64.40.${host}`)
    const timesSeen = (address: string) => servers.seen.filter((one) => one === address).length
    const { id } = await ada.call(calls.addSource, { name: 'Paused within a part', targets: ['127.64.40.0/24'], ...scan })
    const { runId } = await ada.call(calls.run, { id })
    await expect.poll(() => timesSeen('127.64.40.40')).toBe(1)
    await ada.call(calls.pause, { runId, paused: true })
    await expect.poll(async () => (await lastRun(id))?.position).toBeGreaterThan(0)
    const { position = 0 } = (await lastRun(id)) ?? {}
    expect(await lastRun(id)).toMatchObject({ state: 'paused', answered: 0 })
    await ada.call(calls.pause, { runId, paused: false })
    await expect.poll(() => timesSeen('127.64.40.40')).toBe(2)
    expect(Array.from({ length: position }, (_, host) => timesSeen(`127.64.40.${host}`))).toEqual(Array.from({ length: position }, () => 1))
    await ada.call(calls.stop, { runId })
    await expect.poll(() => lastRun(id)).toMatchObject({ state: 'cancelled' })
  })

  test('that is slow comes on in small parts', () => {
    expect([partSize(1, 1), partSize(5, 1), partSize(5, 20), partSize(500, 1)]).toEqual([2, 10, 1, 256])
  })

  test('of another tenancy is missing, with all that it found', async () => {
    const [row] = (await ada.call(calls.search, {})).rows
    const [source] = (await ada.call(calls.sources, {})).sources
    await expect(other.call(calls.read, { id: row?.id ?? '' })).rejects.toMatchObject({ status: 404 })
    await expect(other.call(calls.run, { id: source?.id ?? '' })).rejects.toMatchObject({ status: 404 })
    expect(await other.call(calls.takeOver, { ids: [row?.id ?? ''] })).toEqual({ taken: 0, added: 0, unreadable: 0 })
    expect((await other.call(calls.search, {})).total).toBe(0)
  })

  test('leaves out what is ignored, until its day', async () => {
    const [row] = (await ada.call(calls.search, { text: 'old.example.org' })).rows
    const until = new Date(house.clock.now().getTime() + 86_400_000).toISOString()
    await ada.call(calls.ignore, { ids: [row?.id ?? ''], reason: 'Is switched off tonight', until })
    expect((await ada.call(calls.search, { view: 'expired' })).total).toBe(0)
    expect((await ada.call(calls.search, { view: 'ignored' })).total).toBe(1)
  })
})

describe('The domain report', () => {
  test('counts what was found for names of the own domains by issuer, and nothing of another tenancy', async () => {
    servers.serve('127.64.30.1', { name: 'shop.report.example', days: 90 })
    servers.serve('127.64.30.2', { name: 'mail.report.example', days: 90, selfSigned: true })
    servers.serve('127.64.30.3', { name: 'www.other-report.example', days: 90 })
    await ran('Domains', ['127.64.30.0/29'])
    for (const by of [ada, other]) await by.call(domains.calls.add, { name: 'report.example' })
    expect((await ada.call(calls.domainReport, {})).domains).toEqual([
      {
        name: 'report.example',
        proved: false,
        found: 2,
        elsewhere: 2,
        untrusted: 2,
        issuers: [
          { issuer: 'CN=Somebody else', own: false, found: 1, untrusted: 1 },
          { issuer: 'CN=mail.report.example', own: false, found: 1, untrusted: 1 },
        ],
      },
    ])
    expect((await other.call(calls.domainReport, {})).domains).toMatchObject([{ found: 0, issuers: [] }])
  })

  test('takes an issuer as own only where its key has signed, not by its name alone', async () => {
    const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0, rules: { keys: ['P-256'] } })
    servers.serve('127.64.31.1', { name: 'real.own.example', days: 90 })
    const csr = servers.request('127.64.31.1')
    const { certificateId = '' } = await pki.ada.call(certificates.calls.request, { entity: 'device', templateId, csr })
    const { certificate } = await ada.call(certificates.calls.info, { certId: certificateId })
    servers.replace('127.64.31.1', certificate.pem)
    const name = pki.tenancy.name
    servers.serve('127.64.31.2', { name: 'forged.own.example', days: 90, issuer: `/C=AU/O=${name}/CN=${name} Issuing` })
    await ran('Own', ['127.64.31.0/29'])
    await ada.call(domains.calls.add, { name: 'own.example' })
    const [report] = (await ada.call(calls.domainReport, {})).domains.filter((one) => one.name === 'own.example')
    const issuer = `CN=${name} Issuing, O=${name}, C=AU`
    expect(report).toMatchObject({ found: 2, elsewhere: 1, untrusted: 1 })
    expect(report?.issuers.toSorted((a, b) => a.untrusted - b.untrusted)).toEqual([
      { issuer, own: true, found: 1, untrusted: 0 },
      { issuer, own: false, found: 1, untrusted: 1 },
    ])
  })
})

describe('Fifty findings', () => {
  test('are taken over, and their renewed certificates are seen served, those that are not stay awaited', async () => {
    const addresses = Array.from({ length: 50 }, (_, at) => `127.64.20.${at + 1}`)
    for (const [at, address] of addresses.entries()) servers.serve(address, { name: `host-${at}.fleet.example.org`, days: 20 })
    await ran('Fleet', ['127.64.20.0/26'])
    const { rows } = await ada.call(calls.search, { view: 'closeToExpiry', text: 'fleet.example.org', size: 100 })
    const ids = rows.map(({ id }) => id)
    expect(await ada.call(calls.takeOver, { ids })).toEqual({ taken: 50, added: 50, unreadable: 0 })
    expect(await ada.call(calls.takeOver, { ids })).toMatchObject({ taken: 50, added: 0 })
    const templateId = await pki.addTemplate('TLSServer', { issueApprovers: 0, rules: { keys: ['P-256'] } })
    const issued = new Map<string, string>()
    for (const address of addresses) {
      const { certificateId = '' } = await pki.ada.call(certificates.calls.request, {
        entity: 'device',
        templateId,
        csr: servers.request(address),
      })
      issued.set(address, (await ada.call(certificates.calls.info, { certId: certificateId })).certificate.pem)
    }
    await expect.poll(async () => (await ada.call(calls.overview, {})).awaited).toBe(50)
    expect(await ada.call(calls.checkServed, {})).toEqual({ awaited: 50, served: 0 })
    for (const [address, pem] of [...issued].slice(0, 49)) servers.replace(address, pem)
    expect(await ada.call(calls.checkServed, {})).toEqual({ awaited: 50, served: 49 })
    expect(await ada.call(calls.overview, {})).toMatchObject({ awaited: 1, served: 49 })
    const [left] = (await ada.call(calls.search, { view: 'taken', renewal: 'awaited' })).rows
    expect(left?.address).toBe('127.64.20.50')
    // What our own authority has issued is trusted.
    const [renewed] = (await ada.call(calls.search, { view: 'taken', renewal: 'served' })).rows
    expect(renewed).toMatchObject({ reasons: [], certificateId: expect.any(String) })
  })
})
