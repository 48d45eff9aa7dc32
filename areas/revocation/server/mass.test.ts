// Drills of mass revocations, and the siblings of a compromised key.

import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import { manyCertificates } from '#areas/bulk/server/many.fixture.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openSsl, type IssuingFixture, type OpenSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { imports } from '#areas/imports/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { heldUp } from '#core/testing/concurrently.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, useHouse, type TestPerson } from '#core/testing/house.ts'
import { revocation } from '../contract.ts'
import { usualRowsPerSecond } from '../drills.ts'
import { settleAll } from './settle.ts'

const { runDrill, drill, searchDrills, revoke, siblings } = revocation.calls

let tools: OpenSsl
let head: IssuingFixture
let pki: IssuingFixture
let rita: TestPerson

const house = await useHouse()
beforeAll(async () => {
  tools = openSsl()
  head = await openIssuing(house, tools, 'Head office')
  pki = await openIssuing(house, tools, 'Acme')
  rita = await pki.tenancy.person({ permissions: 'all', username: 'rita' })
})
afterAll(async () => {
  tools.close()
})

/** Everything of the tenancy that a drill must leave alone. */
async function standing(): Promise<string> {
  const { rows } = await inTenant(house.house.database, pki.tenancy.id, (db) =>
    sql<{
      digest: string
    }>`select concat_ws(' ', (select count(*) from certificates where revoked_at is not null), (select count(*) from revocations), (select count(*) from crls), (select count(*) from outbox), (select count(*) from approvals),
      (select count(*) from serials where revoked_at is not null), (select coalesce(max(revision), 0) from serial_revisions)) as digest`.execute(
      db,
    ),
  )
  return rows[0]?.digest ?? ''
}

test('A drill counts what would be revoked and measures the lists, changes nothing, and is kept with its date', async () => {
  await manyCertificates(house, pki, { count: 20, name: 'drilled' })
  await manyCertificates(house, pki, { count: 5, name: 'asked' }, { revocation_approvers: 2 })
  const gone = await manyCertificates(
    house,
    pki,
    { count: 3, name: 'gone' },
    { not_after: '2020-01-01T00:00:00Z', not_before: '2019-01-01T00:00:00Z' },
  )
  expect(gone).toHaveLength(3)
  const before = await standing()
  const { drillId } = await rita.call(runDrill, { name: 'If the issuing authority falls', caId: [pki.caId] })
  const held = await rita.call(drill, { drillId })
  // Each of the three lots came with one that was issued through the front door.
  expect(held.figures).toMatchObject({
    matched: 31,
    already: 0,
    foreign: 0,
    expired: 3,
    cutOff: 28,
    approval: 5,
    rowsPerSecond: usualRowsPerSecond,
    measuredHere: false,
    seconds: 1,
  })
  expect(held.figures.templates.map(({ count, approvers }) => [count, approvers])).toEqual([
    [26, 0],
    [5, 2],
  ])
  const [authority] = held.figures.authorities
  expect(authority).toMatchObject({
    caId: pki.caId,
    name: 'Acme Issuing',
    count: 31,
    entriesAfter: (authority?.entriesNow ?? 0) + 31,
    parts: 0,
  })
  expect(authority?.bytesAfter).toBeGreaterThan(31 * 40)
  expect(held).toMatchObject({ by: 'rita', name: 'If the issuing authority falls', query: { caId: [pki.caId] } })
  expect(await standing()).toBe(before)
  expect((await audited(house, pki.tenancy.id)).filter(({ name }) => name === 'drilled').map(({ about }) => about)).toEqual([drillId])
  expect((await rita.call(searchDrills, { text: 'falls' })).rows.map((row) => row.drillId)).toEqual([drillId])
  expect((await refusal(head.ada.call(drill, { drillId }))).status).toBe(403)
  expect((await refusal((await head.tenancy.person({ permissions: 'all' })).call(drill, { drillId }))).code).toBe('missing')
})

test('What a drill foretold is what the real run does, and the next drill goes by what that took', async () => {
  const query = { templateId: [pki.template['Device'] ?? ''], status: ['active' as const] }
  await manyCertificates(house, pki, { count: 150, name: 'real' })
  const { figures } = await rita.call(drill, { drillId: (await rita.call(runDrill, query)).drillId })
  const { runId, total, facts } = await rita.call(bulk.calls.prepare, {
    action: 'revocation.revoke',
    selection: { selectAll: true },
    query,
  })
  expect([total, facts['approval']]).toEqual([figures.matched, figures.approval])
  await rita.call(bulk.calls.start, { runId, count: total, parameters: { reason: 'cessationOfOperation' } })
  await house.runJob(bulk.jobs.work)
  expect((await rita.call(bulk.calls.view, { runId })).outcomes).toEqual({
    revoked: figures.matched - figures.approval,
    pending: figures.approval,
  })
  const after = await rita.call(drill, { drillId: (await rita.call(runDrill, { caId: [pki.caId] })).drillId })
  expect(after.figures.measuredHere).toBe(true)
  expect(after.figures.already).toBe(figures.matched - figures.approval)
  expect((await refusal(rita.call(runDrill, { text: 'nothing-of-that-name' }))).code).toBe('nothing')
  expect((await refusal(rita.call(runDrill, { sttatus: ['active'] } as never))).fields).toEqual([
    { field: 'sttatus', says: 'There is no field sttatus here. Did you mean status?' },
  ])
})

test('A drill counts what is on hold as bulk work does, apart from what is revoked, and as no more entries of the lists', async () => {
  const asked = ['one', 'two', 'three', 'four'].map(async (host) => {
    const dns = `paused-${host}.example.org`
    const { csr } = tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`] })
    return (
      (await pki.ada.call(certificates.calls.requestForDevice, { templateId: pki.template['Device'] ?? '', csr, values: { DNS: [dns] } }))
        .certificateId ?? ''
    )
  })
  const [paused = '', gone = ''] = await Promise.all(asked)
  await rita.call(revoke, { certId: paused, reason: 'certificateHold' })
  await rita.call(revoke, { certId: gone, reason: 'superseded' })
  const query = { text: 'paused-' }
  const { figures } = await rita.call(drill, { drillId: (await rita.call(runDrill, query)).drillId })
  expect(figures).toMatchObject({ matched: 4, already: 1, held: 1, cutOff: 2, holders: 2 })
  const [authority] = figures.authorities
  expect([authority?.count, (authority?.entriesAfter ?? 0) - (authority?.entriesNow ?? 0)]).toEqual([3, 2])
  const { facts } = await rita.call(bulk.calls.prepare, { action: 'revocation.revoke', selection: { selectAll: true }, query })
  expect(facts).toEqual({ already: figures.already, held: figures.held, foreign: 0, approval: 0, expired: 0, holders: figures.holders })
})

test('A key that is compromised leads to every certificate of it here, and to a count alone of those that others hold', async () => {
  const name = (dns: string, keyFile?: string) =>
    tools.csr({ subject: `/CN=${dns}`, extensions: [`subjectAltName=DNS:${dns}`], ...(keyFile === undefined ? {} : { keyFile }) })
  const ask = async (at: IssuingFixture, dns: string, csr: string) =>
    (await at.ada.call(certificates.calls.requestForDevice, { templateId: at.template['Device'] ?? '', csr, values: { DNS: [dns] } }))
      .certificateId ?? ''
  const { csr, keyFile } = name('one.example.org')
  const first = await ask(head, 'one.example.org', csr)
  const second = await ask(head, 'two.example.org', name('two.example.org', keyFile).csr)
  const unlike = await ask(head, 'other.example.org', name('other.example.org').csr)
  await ask(pki, 'three.example.org', name('three.example.org', keyFile).csr)
  const grace = await head.tenancy.person({ permissions: 'all' })
  const config = tools.write('[req]\ndistinguished_name=dn\n[dn]\n')
  await grace.call(revoke, { certId: second, reason: 'certificateHold' })
  const foreign = tools.run('req', '-x509', '-new', '-key', keyFile, '-subj', '/CN=foreign.example.net', '-days', '30', '-config', config)
  await grace.call(imports.calls.upload, { text: foreign })
  const answer = await grace.call(revoke, { certId: first, reason: 'keyCompromise' })
  expect(answer).toMatchObject({ status: 'revoked', siblings: 2 })
  const found = await grace.call(siblings, { certId: first })
  expect(found).toMatchObject({ compromised: true, total: 2, elsewhere: 1 })
  expect(found.siblings.map((one) => one.name).toSorted()).toEqual(['foreign.example.net', 'two.example.org'])
  // What is on hold may be good again, and is as bad as the others: it is offered with them, to be revoked for good.
  expect(found.siblings.find((one) => one.certificateId === second)?.status).toBe('onHold')
  expect((await grace.call(siblings, { certId: unlike })).total).toBe(0)
  const theirs = (await rita.call(certificates.calls.search, { text: 'three.example.org' })).rows[0]?.certificateId ?? ''
  expect(await rita.call(siblings, { certId: theirs })).toEqual({ certificateId: theirs, compromised: false, siblings: [], total: 0 })
  expect((await refusal(rita.call(siblings, { certId: second }))).code).toBe('notFound')
  // All of them, by the way of bulk work.
  const { runId } = await grace.call(bulk.calls.prepare, {
    action: 'revocation.revoke',
    selection: { selectAll: false, inclusionList: found.siblings.map((one) => one.certificateId) },
  })
  await grace.call(bulk.calls.start, { runId, count: 2, parameters: { reason: 'keyCompromise' } })
  await house.runJob(bulk.jobs.work)
  expect(await grace.call(bulk.calls.view, { runId })).toMatchObject({ outcomes: { revoked: 1 }, failed: 1 })
})

test('Two that revoke certificates of the same authorities at once do not wait for each other in a circle, whichever comes first in the list of each', async () => {
  const issued = async (templateId: string) =>
    (await pki.ada.call(certificates.calls.requestForDevice, { templateId, csr: tools.csr().csr, values: { DNS: ['www.example.org'] } }))
      .certificateId ?? ''
  const those = [
    await pki.addTemplate('Device', { issueApprovers: 0 }),
    await pki.addTemplate('Device', { issueApprovers: 0, caId: pki.rootId }),
  ]
  // Of each authority one is revoked before: then it has the row that both wait for.
  for (const templateId of those) await rita.call(revoke, { certId: await issued(templateId), reason: 'superseded' })
  const orderOf = async (templateId: string) => {
    const { certificate } = await rita.call(certificates.calls.info, { certId: await issued(templateId) })
    return {
      tenant_id: pki.tenancy.id,
      certificate_id: certificate.certificateId,
      ca_id: certificate.caId ?? null,
      serial_hex: certificate.serialNumber,
      reason: 'superseded' as const,
      invalidity_date: null,
    }
  }
  const inOrder = async () => (await Promise.all(those.map(orderOf))).toSorted((a, b) => ((a.ca_id ?? '') < (b.ca_id ?? '') ? -1 : 1))
  const [one, other] = [await inOrder(), await inOrder()]
  const settling = (orders: typeof one) => () =>
    inTenant(house.house.database, pki.tenancy.id, (db) => settleAll(db, pki.tenancy.id, orders, house.clock.now()))
  const both = await heldUp(house, `select from serial_revisions where ca_id = '${one[1]?.ca_id}' for update`, [
    settling(one.toReversed()),
    settling(other),
  ])
  expect(both.map((outcome) => (outcome.status === 'fulfilled' ? [...outcome.value.values()] : String(outcome.reason)))).toEqual([
    [{ state: 'revoked' }, { state: 'revoked' }],
    [{ state: 'revoked' }, { state: 'revoked' }],
  ])
})
