// Renewing many certificates at once, with a worker of its own that is really killed among them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { bulk } from '#areas/bulk/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { templates } from '#areas/templates/contract.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, type TestPerson } from '#core/testing/house.ts'
import { day, openRenewalFixture, type RenewalFixture } from './renewal.fixture.ts'

const { prepare, start, view, rows } = bulk.calls
const action = 'renewal.renew'

let pki: RenewalFixture
let rita: TestPerson
const made: Record<string, string> = {}
let template = ''
const names = Array.from({ length: 14 }, (_, at) => `many-${at}`)

beforeAll(async () => {
  pki = await openRenewalFixture()
  const { template90, device, collected } = pki
  rita = await pki.tenancy.person({ permissions: ['certView', 'certSigningRequest', 'certSigningRequestUser'], username: 'rita' })
  const sameKey = await template90('Device', 'AUTOMATIC_SAME_KEY')
  for (const name of names) made[name] = (await device(sameKey, `${name}.example.org`)).certificateId
  made['not theirs'] = (await device(sameKey, 'not-theirs.example.org')).certificateId
  made['new'] = (await device(await template90('Device', 'AUTOMATIC_NEW_KEY'), 'new.example.org')).certificateId
  const manual = await template90('Device', 'MANUAL')
  made['manual'] = (await device(manual, 'manual.example.org')).certificateId
  made['once manual'] = (await device(manual, 'once-manual.example.org')).certificateId
  template = manual
  made['kept'] = await collected(await template90('User', 'MANUAL'))
  made['never'] = (await device(await template90('Device', 'NONE'), 'never.example.org')).certificateId
  made['held'] = (await device(sameKey, 'held.example.org')).certificateId
  await (
    await pki.tenancy.person({ permissions: 'all' })
  ).call(revocation.calls.revoke, { certId: made['held'], reason: 'certificateHold' })
  made['collected'] = await collected(
    await template90('User', 'AUTOMATIC_NEW_KEY', { extensions: { keyArchival: true, recoveryApprovers: 1 } }),
  )
})
afterAll(() => pki.close())

const chosen = (some: readonly string[]) => ({ selectAll: false, inclusionList: some.map((name) => made[name] ?? ''), exclusionList: [] })
const failuresOf = async (runId: string) =>
  Object.fromEntries((await rita.call(rows, { runId, state: 'failed' })).rows.map(({ label, failure }) => [label, failure]))
const work = () => pki.house.runJob(bulk.jobs.work)

async function run(some: readonly string[]): Promise<string> {
  const { runId, total } = await rita.call(prepare, { action, selection: chosen(some), query: {} })
  await rita.call(start, { runId, count: total, parameters: {} })
  return runId
}

test('Before their time none is renewed, and each says from when on it can be', async () => {
  const runId = await run(['many-0'])
  await work()
  expect(await failuresOf(runId)).toEqual({ 'many-0.example.org': expect.stringMatching(/^It can be renewed from \d{4}-\d\d-\d\d on$/) })
  pki.house.clock.advance(75 * day)
})

test('What it means is counted first: by hand is done by who asks, holders are asked for their keys, and what is refused says why', async () => {
  const some = ['new', 'manual', 'never', 'collected', 'held']
  const { runId, total, facts } = await rita.call(prepare, { action, selection: chosen(some), query: {} })
  expect([total, facts]).toEqual([5, { byHand: 1, never: 1, newKey: 2, onHold: 1 }])
  await rita.call(start, { runId, count: total, parameters: {} })
  await work()
  expect(await rita.call(view, { runId })).toMatchObject({
    state: 'done',
    reached: 5,
    failed: 2,
    requested: 1,
    outcomes: { collect: 1, renewed: 1, invited: 1 },
  })
  expect((await rita.call(rows, { runId, state: 'done' })).rows.map(({ targetId, outcome }) => [targetId, outcome])).toEqual(
    expect.arrayContaining([
      [made['new'], 'invited'],
      [made['manual'], undefined],
    ]),
  )
  expect((await rita.call(rows, { runId, state: 'requested' })).rows).toMatchObject([
    { targetId: made['collected'], outcome: 'collect', requestId: expect.any(String) },
  ])
  expect(await failuresOf(runId)).toEqual({
    'held.example.org': 'It is on hold. Whoever may revoke certificates here can release it, and then it can be renewed',
    'never.example.org': 'The template says that its certificates are not renewed. Ask for a new one',
  })
})

test('By hand it keeps its key, and the log says who did it and from where', async () => {
  const before = made['manual'] ?? ''
  const { renewedBy, attempts } = await pki.check(before)
  expect(await pki.publicKey(renewedBy?.certificateId ?? '')).toBe(await pki.publicKey(before))
  expect(attempts).toMatchObject([{ state: 'renewed', askedBy: 'rita' }])
  const { rows: events } = await pki.tenancy.administrator.call(audit.calls.search, { about: before, size: 100 })
  expect(events.filter(({ area, name }) => area === 'renewal' && name === 'renewed')).toMatchObject([
    { actor: 'rita', address: expect.stringMatching(/./) },
  ])
})

test('A holder who is asked for a new key is asked once a day, whoever runs it how often, and the row says when that was', async () => {
  const mails = () => pki.mails('A new key is needed: new.example.org')
  expect(await mails()).toEqual([expect.stringContaining(`/credentials/certificates/renewal/${made['new']}`)])
  expect(await pki.check(made['new'] ?? '')).toMatchObject({
    verdict: { kind: 'newKey' },
    step: 'answer',
    attempts: [{ state: 'awaitingKey', askedBy: 'rita' }],
  })
  pki.house.clock.advance(60_000)
  const soon = await run(['new'])
  await work()
  expect(await failuresOf(soon)).toEqual({
    'new.example.org': expect.stringMatching(
      /^Its holder was asked for a new key on \d{4}-\d\d-\d\d, and is not asked again within a day$/,
    ),
  })
  expect(await mails()).toHaveLength(1)
  pki.house.clock.advance(day)
  const runId = await run(['new'])
  await work()
  expect(await rita.call(view, { runId })).toMatchObject({ failed: 0, outcomes: { invited: 1 } })
  // As after a kill that left the row undone.
  await pki.house.asOwner(`update bulk_runs set state = 'running', reached = 0, outcomes = '{}' where id = '${runId}'`)
  await work()
  expect(await rita.call(view, { runId })).toMatchObject({ failed: 0, outcomes: { invited: 1 } })
  expect(await mails()).toHaveLength(2)
  // Back to what a worker's own clock says.
  pki.house.clock.advance(-60_000 - day)
})

test('By hand others agree where the key is a person’s own and somebody else asks', async () => {
  const runId = await run(['kept'])
  await work()
  expect(await rita.call(view, { runId })).toMatchObject({ failed: 0, requested: 1, outcomes: { waiting: 1 } })
})

test('Who may not ask for others renews none of them', async () => {
  const looker = await pki.tenancy.person({ permissions: ['certView'], username: 'looker' })
  const { runId } = await looker.call(prepare, { action, selection: chosen(['not theirs']), query: {} })
  await looker.call(start, { runId, count: 1, parameters: {} })
  await work()
  expect((await looker.call(rows, { runId, state: 'failed' })).rows).toMatchObject([{ failureCode: 'notYours' }])
  expect(await refusal(pki.grace.call(prepare, { action, selection: chosen(['not theirs']), query: {} }))).toMatchObject({ status: 403 })
})

test('Of all that a filter finds, who may not ask for others renews what they keep, and nothing that they once asked for on behalf of somebody', async () => {
  const keeper = await pki.tenancy.person({ permissions: ['certView'], username: 'keeper' })
  await pki.house.asOwner(`update certificates set requester_id = '${keeper.id}' where id in ('${made['never']}', '${made['kept']}')`)
  expect(
    (await keeper.call(prepare, { action, selection: { selectAll: true, inclusionList: [], exclusionList: [] }, query: {} })).total,
  ).toBe(1)
})

test('A worker that is killed among them leaves each renewed once, and none undone', async () => {
  const reached = async () => (await rita.call(view, { runId })).reached
  // A worker's own clock would say that their time has not come.
  await pki.house.asOwner(
    `update certificates set not_before = not_before - interval '75 days', not_after = not_after - interval '75 days'`,
  )
  pki.house.clock.advance(-75 * day)
  const runId = await run(names)
  const worker = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('../../bulk/server/worker.fixture.ts', import.meta.url)),
      JSON.stringify({ data: pki.house.house.settings.dataDirectory, connection: pki.house.connection }),
    ],
    { stdio: 'ignore' },
  )
  const gone = once(worker, 'exit')
  const theirs = new Set(names.map((name) => made[name]))
  const renewed = async () =>
    (await audited(pki.house, pki.tenancy.id)).filter(
      ({ area, name, about }) => area === 'renewal' && name === 'renewed' && theirs.has(about),
    )
  const asked = async () => (await renewed()).length
  await expect.poll(asked, { interval: 10 }).toBeGreaterThan(2)
  worker.kill('SIGKILL')
  await gone
  expect(await reached()).toBeLessThan(names.length)
  await work()
  expect(await rita.call(view, { runId })).toMatchObject({
    state: 'done',
    reached: names.length,
    failed: 0,
    outcomes: { renewed: names.length },
  })
  expect((await pki.named('many-0.example.org')).length).toBe(2)
  const told = await renewed()
  expect([told.length, new Set(told.map(({ about }) => about)).size]).toEqual([names.length, names.length])
  // Once more: each was renewed already.
  const again = await run(names.slice(0, 3))
  await work()
  expect((await rita.call(rows, { runId: again, state: 'failed' })).rows.map(({ failureCode }) => failureCode)).toEqual([
    'already',
    'already',
    'already',
  ])
})

test('Counted and done is what the template says today, whatever it said when it issued them', async () => {
  const { get, edit } = templates.calls
  const { caName: _, updatedAt: __, ...draft } = await pki.ada.call(get, { templateId: template })
  await pki.ada.call(edit, { ...draft, templateId: template, extensions: { ...draft.extensions, renewalMode: 'AUTOMATIC_SAME_KEY' } })
  const { runId, total, facts } = await rita.call(prepare, { action, selection: chosen(['once manual']), query: {} })
  expect(facts).toEqual({ sameKey: 1 })
  await rita.call(start, { runId, count: total, parameters: {} })
  await work()
  expect(await rita.call(view, { runId })).toMatchObject({ state: 'done', failed: 0, outcomes: { renewed: 1 } })
})
