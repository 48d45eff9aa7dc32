// Two servers over one database drive the same order: each step is taken once, and what one left behind the other finishes, with the same key at the same order.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { acme } from '#areas/acme/contract.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openHouse } from '#core/server/open.ts'
import { until } from '#core/testing/until.ts'
import { ordering } from '../contract.ts'
import { claimMilliseconds } from '../rules.ts'
import { driveOrder } from './drive.ts'
import { openOrdering, type OrderingFixture } from './ordering.fixture.ts'

let on: OrderingFixture
let second: Awaited<ReturnType<typeof openHouse>>
beforeAll(async () => {
  on = await openOrdering()
  second = await openHouse({
    settings: on.house.house.settings,
    connection: on.house.connection,
    rooms: on.house.rooms,
    identify: async () => undefined,
    port: 0,
    migrated: true,
    background: false,
    now: on.house.clock.now,
    warn: () => {},
  })
})
afterAll(async () => {
  await second.close()
  await on.close()
})

const countOf = (what: string): number => on.front.asked.filter((asked) => asked === what).length
const obtained = async (name: string): Promise<number> =>
  (await on.kim.call(certificates.calls.search, { text: name, source: ['acme'] })).total
const served = async (name: string): Promise<number> =>
  (await on.admin.call(acme.calls.orders, { text: name })).rows.filter(({ certificateId }) => certificateId !== undefined).length
/** Drives it until it is done: what waits for the authority's validation is asked again when its pause is over. */
async function untilDone(id: string, drive: () => Promise<unknown>) {
  const done = async () => {
    await drive()
    const order = await on.seen(id)
    return order.step === 'done' && order
  }
  return until('the order to be done', done, { state: () => on.seen(id) })
}

test('Both drive it, and each step is taken by one of them', async () => {
  const before = countOf('POST /new-order')
  const id = await on.start(['both.example.org'])
  const order = await untilDone(id, () => Promise.all([on.house.house, second.house].map((house) => driveOrder(house, on.tenancy.id, id))))
  expect([order.step, order.problem]).toEqual(['done', undefined])
  expect(countOf('POST /new-order')).toBe(before + 1)
  expect(order.attempts.map(({ step }) => step).toSorted()).toEqual([...new Set(order.attempts.map(({ step }) => step))].toSorted())
  expect([await obtained('both.example.org'), await served('both.example.org')]).toEqual([1, 1])
})

test('One that dies while it finalises leaves an order that the other finishes: one certificate, with the key that is on record', async () => {
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  let arrived: () => void = () => {}
  const atFinalize = new Promise<void>((resolve) => (arrived = resolve))
  let isFirst = true
  on.front.gate = async (asked) => {
    if (!asked.endsWith('/finalize') || !isFirst) return
    isFirst = false
    arrived()
    // As good as dead: it hears nothing until all is over.
    await released
  }
  const id = await on.start(['dead.example.org'])
  await atFinalize
  await driveOrder(second.house, on.tenancy.id, id)
  expect((await on.seen(id)).step).toBe('finalisation')
  on.house.clock.advance(claimMilliseconds + 1_000)
  const order = await untilDone(id, () => driveOrder(second.house, on.tenancy.id, id))
  release()
  on.front.gate = undefined
  expect([order.step, order.problem]).toEqual(['done', undefined])
  // The one that comes back finds that its word does not count any more.
  await on.house.runJob(ordering.jobs.goOn)
  const after = await on.seen(id)
  expect([after.step, after.problem, after.certificateId]).toEqual(['done', undefined, order.certificateId])
  expect([await obtained('dead.example.org'), await served('dead.example.org')]).toEqual([1, 1])
  const { pkcs12 } = await on.kim.call(ordering.calls.collectKey, { id, password: 'correct horse' })
  expect(pkcs12.length).toBeGreaterThan(500)
})
