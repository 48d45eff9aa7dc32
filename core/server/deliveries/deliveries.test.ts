// Deliveries, to a real little receiver that fails on demand, by one server and by two over one database. The cuts are made where a server can die.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { findViewer } from '#areas/sessions/service.ts'
import { offer } from '#core/contract/slots.ts'
import { openTestHouse, type TestHouse, type TestTenancy } from '#core/testing/house.ts'
import { inTenant, type Database } from '../database.ts'
import { openHouse } from '../open.ts'
import type { Room } from '../serve.ts'
import {
  attemptsOf,
  findDelivery,
  pageOfDeliveries,
  pauseTarget,
  queueDelivery,
  readTarget,
  removeTarget,
  resendDelivery,
  resumeTarget,
  type DeliveryDraft,
  type DeliveryKind,
  type DeliveryOutcome,
} from './deliveries.ts'
import { deliveryKinds } from './kinds.ts'
import { claimLanes, takeNext, takeWakes } from './store.ts'

type Received = { id: string; target: string; payload: string }
type Answer = { status: number; retryAfter?: number; text?: string } | 'hang' | 'reset'

let received: Received[] = []
/** What the receiver answers, by target; 200 where nothing is said. */
let answers: Record<string, (payload: string) => Answer> = {}
let together = { now: 0, most: 0 }
const stopped: string[] = []
let receiver: Server
let origin: string

const outcomes: Record<number, DeliveryOutcome['outcome']> = { 200: 'delivered', 400: 'refused', 410: 'gone' }

const message: DeliveryKind = {
  kind: 'parcels.message',
  title: 'Message',
  parallel: 2,
  milliseconds: 2_000,
  async deliver({ id, target, payload }, house, signal) {
    const headers = { 'webhook-id': id }
    const answer = await house.outward.request({
      use: 'revocation',
      url: `${origin}/${target}`,
      method: 'POST',
      headers,
      body: payload,
      signal,
    })
    return {
      outcome: outcomes[answer.status] ?? 'failed',
      status: answer.status,
      answer: answer.body.toString(),
      retryAfterSeconds: Number(answer.headers['retry-after'] ?? 0),
    }
  },
  stopped: async ({ target, reason }) => void stopped.push(`${target}: ${reason}`),
}

const room: Room = {
  area: 'parcels',
  contract: { area: 'parcels', title: 'Parcels', jobs: {}, screens: {}, calls: {}, streams: {}, endpoints: {}, events: {} },
  calls: [],
  streams: [],
  endpoints: [],
  subscriptions: [],
  jobs: [],
  offers: [offer(deliveryKinds, message)],
}

type Place = { house: TestHouse; acme: TestTenancy; globex: TestTenancy }
/** The house of most tests, which delivers. */
let place: Place
/** Each test has a target of its own, and those that begin with its name. */
let target = ''
let count = 0

async function openPlace(background: boolean): Promise<Place> {
  const settings = { CHANCERY_OUTWARD_ALLOW: '127.0.0.1', CHANCERY_OUTWARD_PORTS: new URL(origin).port }
  const house = await openTestHouse({ background, moreRooms: [room], settings })
  return { house, acme: await house.tenancy('Acme'), globex: await house.tenancy('Globex') }
}

/** Another server over the same database, which delivers. */
async function openBeside({ house }: Place): Promise<() => Promise<void>> {
  const { connection, rooms, clock } = house
  const { close } = await openHouse({
    settings: house.house.settings,
    connection,
    rooms,
    identify: findViewer,
    port: 0,
    migrated: true,
    now: clock.now,
    warn: () => {},
  })
  return close
}

beforeAll(async () => {
  receiver = createServer((incoming, outgoing) => {
    let payload = ''
    together.now += 1
    together.most = Math.max(together.most, together.now)
    outgoing.on('close', () => (together.now -= 1))
    incoming.setEncoding('utf8').on('data', (part: string) => (payload += part))
    incoming.on('end', () => {
      const to = (incoming.url ?? '').slice(1)
      received.push({ id: String(incoming.headers['webhook-id']), target: to, payload })
      const answer = answers[to]?.(payload) ?? { status: 200 }
      if (answer === 'hang') return
      if (answer === 'reset') return void incoming.socket.destroy()
      const headers = answer.retryAfter === undefined ? {} : { 'retry-after': String(answer.retryAfter) }
      outgoing.writeHead(answer.status, headers).end(answer.text ?? `answer ${answer.status}`)
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  place = await openPlace(true)
})
beforeEach(() => {
  received = []
  answers = {}
  together = { now: 0, most: 0 }
  target = `target${(count += 1)}`
})
afterEach(async () => {
  // What a test leaves waiting would come back when the next one moves the clock.
  for (const tenancy of [place.acme, place.globex])
    for (const left of [...Object.keys(answers), target]) await inTenancy((db) => removeTarget(db, lane(left, tenancy)), tenancy)
})
afterAll(async () => {
  await place.house.close()
  receiver.closeAllConnections()
  await new Promise((resolve) => receiver.close(resolve))
})

const inTenancy = <T>(work: (db: Database) => Promise<T>, { id } = place.acme, { house } = place): Promise<T> =>
  inTenant(house.house.database, id, work)
const lane = (to = target, { id } = place.acme) => ({ tenantId: id, kind: message.kind, target: to })
const queue = (draft: Partial<DeliveryDraft> = {}, tenancy = place.acme, at = place): Promise<string> =>
  inTenancy(
    (db) => queueDelivery(db, message, { tenantId: tenancy.id, target, payload: 'hello', ...draft }, at.house.clock.now()),
    tenancy,
    at,
  )
const statusOf = async (id: string, at = place): Promise<string | undefined> =>
  (await inTenancy((db) => findDelivery(db, at.acme.id, id), at.acme, at))?.status
const attempts = async (id: string, at = place): Promise<string[]> =>
  (await inTenancy((db) => attemptsOf(db, at.acme.id, id), at.acme, at)).map(
    ({ number, outcome, status, answer }) => `${number} ${outcome} ${status ?? '-'} ${answer}`,
  )
const targetState = () => inTenancy((db) => readTarget(db, lane()))
const page = (status?: 'waiting' | 'delivered' | 'givenUp', tenancy = place.acme) =>
  inTenancy((db) => pageOfDeliveries(db, { ...lane(), tenantId: tenancy.id, status, page: 1, size: 100 }), tenancy)
const payloads = () => received.filter((one) => one.target === target).map(({ payload }) => payload)
const advance = (milliseconds: number) => place.house.clock.advance(milliseconds)
const day = 86_400_000

describe('A delivery', () => {
  test('goes after the commit, with the bytes that were queued, and its answer is kept', async () => {
    const id = await queue({ payload: '{"b":1,  "a":2}' })
    await expect.poll(() => received).toEqual([{ id, target, payload: '{"b":1,  "a":2}' }])
    await expect.poll(() => statusOf(id)).toBe('delivered')
    expect(await attempts(id)).toEqual(['1 delivered 200 answer 200'])
  })

  test('whose transaction is undone never goes', async () => {
    const undone = inTenancy(async (db) => {
      await queueDelivery(db, message, { tenantId: place.acme.id, target, payload: 'undone' }, new Date())
      throw new Error('changed my mind')
    })
    await expect(undone).rejects.toThrow('changed my mind')
    await queue({ payload: 'done' })
    await expect.poll(payloads).toEqual(['done'])
  })

  test('that fails is tried again after growing pauses, under the same id', async () => {
    answers[target] = () => ({ status: 500, text: 'out of paper' })
    const id = await queue()
    await expect.poll(() => attempts(id)).toEqual(['1 failed 500 out of paper'])
    advance(7_000)
    await expect.poll(() => attempts(id)).toEqual(['1 failed 500 out of paper', '2 failed 500 out of paper'])
    answers[target] = () => ({ status: 200 })
    // The second pause is of four minutes at least.
    advance(200_000)
    await queue({ payload: 'meanwhile' })
    await expect.poll(payloads).toEqual(['hello', 'hello', 'meanwhile'])
    advance(200_000)
    await expect.poll(() => statusOf(id)).toBe('delivered')
    expect(await attempts(id)).toEqual(['1 failed 500 out of paper', '2 failed 500 out of paper', '3 delivered 200 answer 200'])
    expect(received.filter((one) => one.id === id)).toHaveLength(3)
  })

  test('that is cut off, or never answered, has failed, and says how', async () => {
    answers[target] = (payload) => (payload === 'hangs' ? 'hang' : 'reset')
    const [cut, hangs] = [await queue({ payload: 'cut' }), await queue({ payload: 'hangs' })]
    await expect.poll(() => attempts(cut)).toEqual(['1 failed - 127.0.0.1 gave no answer'])
    await expect.poll(() => attempts(hangs)).toEqual(['1 failed - No end within 2 seconds'])
  })

  test('waits as long as the receiver asked for, and so does all else for the same target', async () => {
    answers[target] = () => ({ status: 429, retryAfter: 3_600 })
    const id = await queue()
    await expect.poll(async () => (await targetState()).retryAt).toBeInstanceOf(Date)
    answers[target] = () => ({ status: 200 })
    advance(3_000_000)
    const other = await queue({ payload: 'another' })
    await queue({ target: `${target}.other`, payload: 'beside' })
    await expect.poll(() => received.map(({ payload }) => payload)).toEqual(['hello', 'beside'])
    expect(await statusOf(other)).toBe('waiting')
    advance(600_000)
    await expect.poll(() => statusOf(id)).toBe('delivered')
    await expect.poll(() => statusOf(other)).toBe('delivered')
  })

  test('that is refused for good is given up immediately, and can be sent again by hand', async () => {
    answers[target] = () => ({ status: 400 })
    const id = await queue()
    await expect.poll(() => statusOf(id)).toBe('givenUp')
    answers[target] = () => ({ status: 200 })
    const resend = (which: string) =>
      inTenancy((db) => resendDelivery(db, message, { tenantId: place.acme.id, id: which }, place.house.clock.now()))
    expect(await resend(id)).toBe(true)
    await expect.poll(() => attempts(id)).toEqual(['1 refused 400 answer 400', '2 delivered 200 answer 200'])
    expect(await resend(place.acme.id)).toBe(false)
  })

  test('that fails for days is given up, its target stopped and the room told', async () => {
    answers[target] = () => ({ status: 503 })
    const id = await queue()
    await expect.poll(() => attempts(id)).toEqual(['1 failed 503 answer 503'])
    advance(3 * day + 60_000)
    await expect.poll(() => statusOf(id)).toBe('givenUp')
    const next = await queue({ payload: 'next' })
    await expect.poll(() => stopped).toContain(`${target}: Every attempt has failed for days`)
    expect(await targetState()).toMatchObject({ state: 'stopped', reason: 'Every attempt has failed for days' })
    answers[target] = () => ({ status: 200 })
    await inTenancy((db) => resumeTarget(db, lane()))
    advance(10_000)
    await expect.poll(() => statusOf(next)).toBe('delivered')
  })

  test('with an answer that no row can hold is kept with what can be held of it', async () => {
    answers[target] = () => ({ status: 200, text: `a\u0000b${'x'.repeat(5_000)}` })
    const id = await queue()
    await expect.poll(() => statusOf(id)).toBe('delivered')
    expect((await attempts(id))[0]).toBe(`1 delivered 200 a\ufffdb${'x'.repeat(1_021)}`)
  })

  test('is removed two weeks after its end, with its attempts', async () => {
    const id = await queue()
    await expect.poll(() => statusOf(id)).toBe('delivered')
    advance(13 * day)
    await queue({ payload: 'later' })
    await expect.poll(payloads).toHaveLength(2)
    expect(await statusOf(id)).toBe('delivered')
    advance(1.5 * day)
    await expect.poll(() => statusOf(id)).toBeUndefined()
    expect(await attempts(id)).toEqual([])
  })
})

describe('With one key', () => {
  test('deliveries go in the order in which they were queued, and others need not wait', async () => {
    let isDown = true
    answers[target] = (payload) => ({ status: isDown && payload === 'a1' ? 500 : 200 })
    const first = await queue({ key: 'a', payload: 'a1' })
    await expect.poll(() => attempts(first)).toEqual(['1 failed 500 answer 500'])
    for (const payload of ['a2', 'a3', 'b1', 'b2', 'c']) await queue({ key: payload === 'c' ? '' : payload.slice(0, 1), payload })
    await expect.poll(() => payloads().toSorted()).toEqual(['a1', 'b1', 'b2', 'c'])
    isDown = false
    advance(7_000)
    await expect.poll(payloads).toHaveLength(7)
    expect(payloads().filter((payload) => payload.startsWith('a'))).toEqual(['a1', 'a1', 'a2', 'a3'])
    expect(payloads().indexOf('b1')).toBeLessThan(payloads().indexOf('b2'))
  })

  test('the next goes when the one before is given up', async () => {
    answers[target] = (payload) => ({ status: payload === 'bad' ? 400 : 200 })
    await queue({ key: 'a', payload: 'bad' })
    await queue({ key: 'a', payload: 'good' })
    await expect.poll(payloads).toEqual(['bad', 'good'])
  })

  test('none is left behind by those that are queued while another ends', async () => {
    const ids: string[] = []
    for (let round = 0; round < 10; round += 1)
      ids.push(...(await Promise.all(Array.from({ length: 8 }, (_, at) => queue({ key: `key ${at % 2}`, payload: `${round}` })))))
    await expect.poll(payloads).toHaveLength(80)
    await expect.poll(async () => (await page('waiting')).total).toBe(0)
    expect(received.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  })
})

describe('A target', () => {
  test('that fails again and again gets single attempts until one is delivered', async () => {
    answers[target] = () => ({ status: 500 })
    for (let at = 0; at < 20; at += 1) await queue({ payload: `${at}` })
    await expect.poll(async () => (await targetState()).retryAt).toBeInstanceOf(Date)
    await expect.poll(async () => (await targetState()).failures).toBe(received.length)
    const before = received.length
    expect(before).toBeLessThan(8)
    advance(10_000)
    await expect.poll(async () => (await targetState()).failures).toBe(before + 1)
    expect(received).toHaveLength(before + 1)
    answers[target] = () => ({ status: 200 })
    advance(600_000)
    await expect.poll(async () => (await page('delivered')).total).toBe(20)
    expect(await targetState()).toMatchObject({ state: 'active', failures: 0, retryAt: undefined })
  })

  test('gets no more at a time than its kind says', async () => {
    for (let at = 0; at < 30; at += 1) await queue({ payload: `${at}` })
    await expect.poll(payloads).toHaveLength(30)
    expect(together.most).toBeLessThanOrEqual(2)
  })

  test('that is paused gets nothing until it is resumed', async () => {
    await inTenancy((db) => pauseTarget(db, lane(), 'Being moved'))
    const id = await queue()
    await queue({ target: `${target}.other`, payload: 'beside' })
    await expect.poll(() => received.map(({ payload }) => payload)).toEqual(['beside'])
    expect(await targetState()).toMatchObject({ state: 'paused', reason: 'Being moved' })
    await inTenancy((db) => resumeTarget(db, lane()))
    await expect.poll(() => statusOf(id)).toBe('delivered')
  })

  test('that wants nothing more is stopped, and what waits is kept for when it is resumed', async () => {
    answers[target] = () => ({ status: 410 })
    const id = await queue()
    await expect.poll(() => stopped).toContain(`${target}: The receiver wants nothing more`)
    answers[target] = () => ({ status: 200 })
    expect(await statusOf(id)).toBe('waiting')
    await inTenancy((db) => resumeTarget(db, lane()))
    await expect.poll(() => statusOf(id)).toBe('delivered')
  })

  test('of another tenancy is another one, though it has the same name', async () => {
    await queue({ payload: 'of Acme' })
    await queue({ payload: 'of Globex' }, place.globex)
    await expect.poll(() => payloads().toSorted()).toEqual(['of Acme', 'of Globex'])
    expect((await page()).rows.map(({ payload }) => payload)).toEqual(['of Acme'])
    expect((await page(undefined, place.globex)).rows.map(({ payload }) => payload)).toEqual(['of Globex'])
  })

  test('that hangs, and many beside it of one tenancy, hold up no other tenancy', async () => {
    const hanging = Array.from({ length: 40 }, (_, at) => `${target}.hangs${at}`)
    for (const to of hanging) answers[to] = () => 'hang'
    for (const to of hanging) await queue({ target: to })
    await expect.poll(() => received.length).toBeGreaterThanOrEqual(4)
    expect(together.most).toBe(4)
    // Counts from here, because a slow machine has given up some of those that hang by now.
    const before = received.length
    await queue({ payload: 'of Globex' }, place.globex)
    await expect.poll(payloads).toEqual(['of Globex'])
    expect(received.findIndex(({ payload }) => payload === 'of Globex')).toBeLessThan(before + 16)
  })
})

describe('What a dead server leaves behind', () => {
  /** Does what a server does that dies in the middle: it has leased the lane, perhaps taken the delivery, perhaps sent it. */
  async function dieAt(cut: 'leased' | 'taken' | 'sent', id: string, at: Place): Promise<void> {
    const { database } = at.house.house
    const [now, until] = [at.house.clock.now(), new Date(at.house.clock.now().getTime() + 90_000)]
    await takeWakes(database, now)
    const [leased] = await claimLanes(database, { now, until, most: 1, mostOfTenancy: 4, kinds: [message.kind] })
    if (leased?.target !== target) throw new Error('Another lane was leased')
    if (cut === 'leased') return
    const row = await inTenancy((db) => takeNext(db, leased, { now, until }), at.acme, at)
    if (row?.id !== id) throw new Error('Another delivery was taken')
    if (cut === 'sent') await fetch(`${origin}/${target}`, { method: 'POST', headers: { 'webhook-id': id }, body: 'hello' })
  }

  test.each([
    ['leased', 0, '1'],
    ['taken', 0, '2'],
    ['sent', 1, '2'],
  ] as const)('is taken up by another when its lease is over: what was %s', async (cut, sent, lastAttempt) => {
    const own = await openPlace(false)
    onTestFinished(() => own.house.close())
    const id = await queue({ key: 'a' }, own.acme, own)
    await queue({ key: 'a', payload: 'after it' }, own.acme, own)
    await dieAt(cut, id, own)
    const closeOther = await openBeside(own)
    onTestFinished(closeOther)
    // Another lane of the same tenancy shows that the other server is at work, and leaves alone what is leased.
    await queue({ target: `${target}.other`, payload: 'beside' }, own.acme, own)
    await expect.poll(() => received.map(({ payload }) => payload)).toContain('beside')
    expect(payloads()).toHaveLength(sent)
    own.house.clock.advance(91_000)
    await expect.poll(payloads).toEqual([...Array.from({ length: sent }, () => 'hello'), 'hello', 'after it'])
    await expect.poll(() => statusOf(id, own)).toBe('delivered')
    expect(received.filter((one) => one.id === id)).toHaveLength(sent + 1)
    expect((await attempts(id, own)).at(-1)).toBe(`${lastAttempt} delivered 200 answer 200`)
  })

  test('is delivered though nobody was there to hear of it', async () => {
    const own = await openPlace(false)
    onTestFinished(() => own.house.close())
    await queue({ payload: 'unheard' }, own.acme, own)
    const closeOther = await openBeside(own)
    onTestFinished(closeOther)
    await expect.poll(payloads).toEqual(['unheard'])
  })
})

test('Two servers share the work, and each delivery goes once', async () => {
  onTestFinished(await openBeside(place))
  const { acme, globex } = place
  const ids: string[] = []
  for (let at = 0; at < 60; at += 1)
    ids.push(await queue({ target: `${target}.${at % 12}`, key: 'a', payload: `${at}` }, at % 2 === 0 ? acme : globex))
  await expect.poll(() => received).toHaveLength(60)
  expect(received.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  for (let of = 0; of < 12; of += 1) {
    const inOrder = received.filter((one) => one.target === `${target}.${of}`).map(({ payload }) => Number(payload))
    expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other))
  }
})
