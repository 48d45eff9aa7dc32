// What waits for a person and what has become of what was begun, through the front door.

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { certificates } from '#areas/certificates/contract.ts'
import { openIssuing, openIssuingHouse } from '#areas/certificates/server/issuing.fixture.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { contract, type DraftOf } from '#core/contract/contract.ts'
import { offer } from '#core/contract/slots.ts'
import { serve } from '#core/server/serve.ts'
import { workSources } from '#core/server/slots.ts'
import { openTestHouse, refusal, type TestPerson } from '#core/testing/house.ts'
import { workflow } from '../contract.ts'
import { skipOf } from '../rules.ts'

const { items, transactions, place } = workflow.calls
const { house, tools, pki, close } = await openIssuingHouse()
afterAll(close)

let bob: TestPerson
let officer: TestPerson
let templateId: string
const ask = async (name: string) => {
  const { csr } = tools.csr({ subject: `/CN=${name}`, extensions: [`subjectAltName=DNS:${name}`] })
  return (await pki.ada.call(certificates.calls.requestForDevice, { templateId, csr, values: { DNS: [name] } })).requestId
}
const waitingFor = async (person: TestPerson) => (await person.call(items, {})).workflowItems

beforeAll(async () => {
  const permissions = ['workflow', 'certApprovals', 'certView', 'certRevokeView', 'viewPendingFailedRevocations'] as const
  bob = await pki.tenancy.person({ permissions, username: 'bob.work' })
  officer = await pki.tenancy.person({ permissions, username: 'officer.work' })
  templateId = await pki.addTemplate('Device', { issueApprovers: 1, revocationApprovers: 1 })
})

describe('My work', () => {
  test('is what waits for me, and is done where it stands by the call that the item names', async () => {
    const requestId = await ask('one.example.org')
    const [item] = await waitingFor(bob)
    expect(item).toMatchObject({
      id: requestId,
      kind: 'certificateRequest',
      title: 'Device: one.example.org',
      link: `/credentials/certificates/approval/${requestId}`,
      requestedBy: pki.ada.username,
      actions: [
        { name: 'approve', call: 'certificates.decide', reasonField: 'comment', needsReason: false },
        { name: 'deny', call: 'certificates.decide' },
      ],
    })
    const input = certificates.calls.decide.input.parse(item?.actions[0]?.input)
    expect(await bob.call(certificates.calls.decide, input)).toMatchObject({ status: 'issued' })
    expect(await waitingFor(bob)).toEqual([])
    expect((await bob.call(items, {})).counts).toContainEqual({ kind: 'certificateRequest', count: 0 })
  })

  test('holds several kinds in one list, those that have waited longest first', async () => {
    const first = await ask('first.example.org')
    await bob.call(certificates.calls.decide, { requestId: first, round: 1, verdict: 'approve' })
    const { rows } = await bob.call(certificates.calls.search, { text: 'first.example.org' })
    await pki.ada.call(revocation.calls.revoke, { certId: rows[0]?.certificateId ?? '', reason: 'superseded' })
    house.clock.advance(1_000)
    const second = await ask('second.example.org')
    const mine = await waitingFor(bob)
    expect(mine.map(({ kind }) => kind)).toEqual(['revocation', 'certificateRequest'])
    expect(mine[0]).toMatchObject({ title: 'Revoke first.example.org', requestedBy: pki.ada.username })
    const input = revocation.calls.vote.input.parse({ ...mine[0]?.actions[1]?.input, comment: 'It is in use' })
    expect(await bob.call(revocation.calls.vote, input)).toMatchObject({ status: 'denied', complete: true })
    expect((await waitingFor(bob)).map(({ id }) => id)).toEqual([second])
  })

  test('leaves out what I may not decide, also where the permission was taken while it stood on my screen', async () => {
    const passing = await pki.tenancy.person({ permissions: ['workflow', 'certApprovals'], username: 'passing.work' })
    const [item] = await waitingFor(passing)
    await house.asOwner(`update roles set api = array['workflow'] where name = 'Role of passing.work'`)
    house.house.cache.forget()
    const input = certificates.calls.decide.input.parse(item?.actions[0]?.input)
    expect(await refusal(passing.call(certificates.calls.decide, input))).toMatchObject({ status: 403, code: 'denied' })
    expect(await passing.call(items, {})).toEqual({ workflowItems: [], counts: [] })
    expect(await refusal(pki.eve.call(items, {}))).toMatchObject({ status: 403 })
    const asker = await pki.tenancy.person({ permissions: ['workflow', 'certApprovals', 'certSigningRequest'] })
    const { csr } = tools.csr({ subject: '/CN=own.example.org', extensions: ['subjectAltName=DNS:own.example.org'] })
    await asker.call(certificates.calls.requestForDevice, { templateId, csr, values: { DNS: ['own.example.org'] } })
    expect((await waitingFor(asker)).map(({ title }) => title).join()).not.toContain('own.example.org')
  })
})

describe('Transactions', () => {
  test('tell how each request ended, with every step and who took it', async () => {
    const requestId = await ask('told.example.org')
    house.clock.advance(60_000)
    await bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })
    const [newest] = (await officer.call(transactions, {})).transactions
    expect(newest).toMatchObject({
      transactionId: requestId,
      kind: 'certificateRequest',
      title: 'told.example.org',
      status: 'done',
      by: pki.ada.username,
      link: expect.stringContaining('/credentials/certificates/view/'),
      endedAt: expect.any(String),
    })
    const steps = newest?.steps.map(({ what, by }) => `${what} (${by})`) ?? []
    expect(steps[0]).toBe(`Requested a certificate (${pki.ada.username})`)
    expect(steps).toContain('Approved a request (bob.work)')
    expect(steps.some((step) => step.startsWith('Issued a certificate'))).toBe(true)
  })

  test('are those that one began oneself, without the permission to see others’', async () => {
    const asker = await pki.tenancy.person({ permissions: ['workflow', 'certSigningRequest'], username: 'asker.work' })
    expect(await asker.call(transactions, {})).toMatchObject({ transactions: [], total: 0 })
    const { csr } = tools.csr({ subject: '/CN=mine.example.org', extensions: ['subjectAltName=DNS:mine.example.org'] })
    const { requestId } = await asker.call(certificates.calls.requestForDevice, { templateId, csr, values: { DNS: ['mine.example.org'] } })
    expect((await asker.call(transactions, {})).transactions).toMatchObject([
      { transactionId: requestId, status: 'waiting', by: 'asker.work' },
    ])
    expect((await officer.call(transactions, { own: 'true' })).total).toBe(0)
  })

  test('are read page by page, bad paging as the nearest good one, and the offset before the page', async () => {
    const titles = async (paging: DraftOf<typeof transactions>) =>
      (await officer.call(transactions, paging)).transactions.map(({ transactionId }) => transactionId)
    const all = await titles({ 'paging[limit]': '1e9' })
    expect(all.length).toBeGreaterThan(4)
    expect(await titles({ 'paging[pageNumber]': '1', 'paging[offset]': '0', 'paging[limit]': '2' })).toEqual(all.slice(0, 2))
    expect(await titles({ 'paging[pageNumber]': '2', 'paging[limit]': '2' })).toEqual(all.slice(2, 4))
    expect(await titles({ 'paging[pageNumber]': '3', 'paging[offset]': '1', 'paging[limit]': '2' })).toEqual(all.slice(1, 3))
    expect(await titles({ 'paging[offset]': '-1', 'paging[limit]': '0', 'paging[pageNumber]': 'x' })).toEqual(all.slice(0, 1))
    expect(await titles({ kind: 'revocation' })).toHaveLength(1)
    const denied = await titles({ status: 'denied', 'paging[limit]': '100' })
    expect(denied.length).toBeGreaterThan(0)
    expect(denied.length).toBeLessThan(all.length)
    expect(await titles({ status: 'denied', 'paging[offset]': '1' })).toEqual(denied.slice(1, 11))
    expect(await titles({ until: '2001-01-01T00:00:00.000Z' })).toEqual([])
    expect(skipOf({ page: 5_000_000, offset: 0, limit: 100 })).toBe(10_000)
  })

  test('of another tenancy are not there', async () => {
    const other = await openIssuing(house, tools, 'Elsewhere')
    const stranger = await other.tenancy.person({ permissions: 'all' })
    expect((await stranger.call(transactions, {})).total).toBe(0)
  })
})

describe('The address of a request', () => {
  test('leads to its certificate, to the approval or to the own request, and nowhere else', async () => {
    const requestId = await ask('placed.example.org')
    const at = (person: TestPerson, ca: string, id: string) => person.call(place, { ca, id })
    expect(await at(bob, pki.caId, requestId)).toMatchObject({ path: `/credentials/certificates/approval/${requestId}` })
    await bob.call(certificates.calls.decide, { requestId, round: 1, verdict: 'approve' })
    expect((await at(bob, pki.caId, requestId)).path).toMatch(/^\/credentials\/certificates\/view\//)
    const nobody = await pki.tenancy.person({ permissions: ['workflow'] })
    const other = await house.tenancy('Afar')
    const stranger = await other.person({ permissions: 'all' })
    for (const [person, ca, id] of [
      [nobody, pki.caId, requestId],
      [stranger, pki.caId, requestId],
      [bob, pki.rootId, requestId],
      [bob, pki.caId, '..%2f/evil'],
      [bob, '//evil.test', requestId],
    ] as const)
      expect(await at(person, ca, id)).toEqual({})
  })
})

test('A kind that cannot be read has the count -1, and the others answer', async () => {
  const broken = offer(workSources, {
    kind: 'broken',
    needs: 'workflow',
    read: ({ db }) => sql`select * from there_is_no_such_table`.execute(db).then(() => ({ items: [], count: 0 })),
  })
  const room = serve(contract({ area: 'health', title: 'Broken', calls: {} }), {}, { offers: [broken] })
  const other = await openTestHouse({ moreRooms: [room] })
  onTestFinished(() => other.close())
  const person = await (await other.tenancy('Acme')).person({ permissions: ['workflow', 'certApprovals'] })
  expect((await person.call(items, {})).counts).toEqual([
    { kind: 'keyRecovery', count: 0 },
    { kind: 'certificateRequest', count: 0 },
    { kind: 'broken', count: -1 },
  ])
})
