// Renewing many before their time: they are counted apart, and renewed where whoever may ask for others says so.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { bulk } from '#areas/bulk/contract.ts'
import type { TestPerson } from '#core/testing/house.ts'
import { day, openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

const { prepare, start, view, rows } = bulk.calls

let pki: RenewalFixture
let rita: TestPerson
const made: Record<string, string> = {}

beforeAll(async () => {
  pki = await openRenewalFixture()
  const { template90, device, collected, house, tenancy } = pki
  rita = await tenancy.person({ permissions: ['certView', 'certSigningRequest'], username: 'rita' })
  const sameKey = await template90('Device', 'AUTOMATIC_SAME_KEY')
  const soon = await template90('Device', 'MANUAL', { extensions: { renewalDays: 50 } })
  made['due'] = (await device(sameKey, 'due.example.org')).certificateId
  house.clock.advance(45 * day)
  made['half-way'] = (await device(soon, 'half-way.example.org')).certificateId
  house.clock.advance(24 * day)
  made['fresh'] = (await device(sameKey, 'fresh.example.org')).certificateId
  made['waiting'] = (await device(soon, 'waiting.example.org')).certificateId
  made['theirs'] = (await device(await template90('Device', 'AUTOMATIC_NEW_KEY'), 'theirs.example.org')).certificateId
  made['never'] = (await device(await template90('Device', 'NONE'), 'never.example.org')).certificateId
  made['person'] = await collected(await template90('User', 'AUTOMATIC_NEW_KEY'))
})
afterAll(() => pki.close())

const chosen = (some: readonly string[]) => ({ selectAll: false, inclusionList: some.map((name) => made[name] ?? ''), exclusionList: [] })
const prepared = (who: TestPerson, some: readonly string[]) =>
  who.call(prepare, { action: 'renewal.renew', selection: chosen(some), query: {} })
async function failuresOf(who: TestPerson, some: readonly string[], parameters: Record<string, unknown>) {
  const { runId, total } = await prepared(who, some)
  await who.call(start, { runId, count: total, parameters })
  await pki.house.runJob(bulk.jobs.work)
  expect(await who.call(view, { runId })).toMatchObject({ state: 'done', reached: total })
  return (await who.call(rows, { runId, state: 'failed' })).rows.map(({ label, failureCode }) => [label, failureCode]).toSorted()
}

test('Before anything is confirmed those that are too early are counted apart, by the time that each template says and by what the person may do', async () => {
  const all = Object.keys(made)
  expect((await prepared(rita, all)).facts).toEqual({ sameKey: 1, early: 3, tooEarly: 2, never: 1 })
  pki.house.clock.advance(18 * day)
  // On the 87th day, of which the 42nd of one that can be renewed in its last 50.
  expect((await prepared(rita, all)).facts).toEqual({ sameKey: 1, byHand: 1, early: 2, tooEarly: 2, never: 1 })
  const both = await pki.tenancy.person({ permissions: ['certView', 'certSigningRequest', 'certSigningRequestUser'] })
  // What is made here can be granted early; a key that only its holder makes is asked for when its time comes.
  expect((await prepared(both, all)).facts).toEqual({ sameKey: 1, byHand: 1, early: 3, tooEarly: 1, never: 1 })
})

test('Those that are too early fail where nobody says otherwise, and are renewed where it is said', async () => {
  expect(await failuresOf(rita, ['fresh', 'waiting', 'theirs'], {})).toEqual([
    ['fresh.example.org', 'early'],
    ['theirs.example.org', 'early'],
    ['waiting.example.org', 'early'],
  ])
  expect(await failuresOf(rita, ['half-way', 'fresh', 'waiting', 'theirs'], { early: true })).toEqual([['theirs.example.org', 'early']])
  for (const name of ['half-way', 'fresh', 'waiting'])
    expect(await pki.verify((await pki.check(made[name] ?? '')).renewedBy?.certificateId ?? '')).toContain('OK')
  expect(await pki.mails('A new key is needed: theirs.example.org')).toEqual([])
})

test('Who keeps certificates and may not ask for others renews none of them early, whatever is said', async () => {
  const keeper = await pki.tenancy.person({ permissions: ['certView'] })
  await pki.house.asOwner(`update certificates set requester_id = '${keeper.id}' where id = '${made['theirs']}'`)
  expect((await prepared(keeper, ['theirs'])).facts).toEqual({ tooEarly: 1 })
  expect(await failuresOf(keeper, ['theirs'], { early: true })).toEqual([['theirs.example.org', 'early']])
})
