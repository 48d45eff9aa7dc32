import { expect, test } from 'vitest'
import { tenancy } from '#areas/tenancy/contract.ts'
import { useHouse } from '#core/testing/house.ts'
import { startBus } from './bus.ts'
import { listenOn } from './listening.ts'
import { on, type EventDelivery, type Room } from './serve.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')

const settings = { name: 'Acme', bannerColour: '#1f6feb', supportEmail: '', disclaimer: '', toastTimeout: '', timeZone: 'UTC' }

function listener(area: string, hear: (event: EventDelivery) => Promise<void>): Room {
  return {
    area,
    contract: { area, title: area, screens: {}, calls: {}, streams: {}, endpoints: {}, jobs: {}, events: {} },
    calls: [],
    streams: [],
    endpoints: [],
    jobs: [],
    subscriptions: [on(tenancy.events.changed, (delivery) => hear(delivery))],
  }
}

/** Resolves with the first `count` events that a room hears. */
function hearing(area: string, count: number, fail: (event: EventDelivery) => boolean = () => false) {
  const heard: EventDelivery[] = []
  const { promise, resolve } = Promise.withResolvers<EventDelivery[]>()
  const room = listener(area, async (event) => {
    heard.push(event)
    if (heard.length === count) resolve(heard)
    if (fail(event)) throw new Error('not this time')
  })
  return { room, heard: promise }
}

test('a committed event reaches the rooms that listen, with its tenancy and body', async () => {
  const { room, heard } = hearing('listenerOne', 1)
  const bus = startBus(house.house, [room])
  await acme.administrator.call(tenancy.calls.change, { ...settings, supportEmail: 'one@example.org' })
  const [event] = await heard
  expect(event).toMatchObject({ tenantId: acme.id, actorId: acme.administrator.id, body: { fields: ['supportEmail'] } })
  await bus.stop()
})

test('an event is delivered however many listen: what they hold is taken from nobody who asks', async () => {
  const begun = Array.from({ length: 16 }, () => Promise.withResolvers<void>())
  const listening = begun.map(({ resolve, reject }, at) =>
    listenOn(house.house.held, { channel: `many_${at}`, begins: () => resolve(), heard: () => {}, ends: () => {}, failed: reject }),
  )
  await Promise.all(begun.map(({ promise }) => promise))
  const { room, heard } = hearing('listenerAmongMany', 1)
  const bus = startBus(house.house, [room])
  await acme.administrator.call(tenancy.calls.change, { ...settings, supportEmail: 'many@example.org' })
  expect(await heard).toHaveLength(1)
  await bus.stop()
  await Promise.all(listening.map(({ close }) => close()))
})

test('an event that a listener failed on is delivered again, and none is skipped', async () => {
  let failures = 0
  const { room, heard } = hearing('listenerTwo', 3, () => (failures += 1) === 1)
  const bus = startBus(house.house, [room])
  await acme.administrator.call(tenancy.calls.change, { ...settings, supportEmail: 'two@example.org' })
  const [first, second, third] = await heard
  expect(second?.id).toBe(first?.id)
  expect(third?.id).not.toBe(first?.id)
  await bus.stop()
})

test('an event that a listener always refuses is set aside after the last try, the rest is delivered, and the next start tries it again', async () => {
  const poison = (event: EventDelivery) => JSON.stringify(event.body) === '{"fields":["name","supportEmail"]}'
  const tries: string[] = []
  const { promise: passed, resolve: pass } = Promise.withResolvers<EventDelivery>()
  const room = listener('listenerFour', async (event) => {
    tries.push(event.id)
    if (poison(event)) throw new Error('never')
    if (JSON.stringify(event.body) === '{"fields":["timeZone"]}') pass(event)
  })
  const bus = startBus(house.house, [room], { tries: 3, firstPause: 5, longestPause: 10 })
  await acme.administrator.call(tenancy.calls.change, { ...settings, name: 'Acme & Co', supportEmail: 'four@example.org' })
  await acme.administrator.call(tenancy.calls.change, {
    ...settings,
    name: 'Acme & Co',
    supportEmail: 'four@example.org',
    timeZone: 'Europe/London',
  })
  await passed
  const [refused] = [...Map.groupBy(tries, (id) => id)].filter(([, same]) => same.length > 1)
  expect(refused?.[1]).toHaveLength(3)
  expect(bus.undelivered()).toBe(1)
  await bus.stop()

  const heard: string[] = []
  const { promise: delivered, resolve: deliver } = Promise.withResolvers<void>()
  const mended = startBus(house.house, [listener('listenerFour', async (event) => (heard.push(event.id), deliver()))])
  await delivered
  await mended.stop()
  expect(heard[0]).toBe(refused?.[0])
  expect(mended.undelivered()).toBe(0)
  const again: string[] = []
  const { promise: last, resolve: end } = Promise.withResolvers<void>()
  const third = startBus(house.house, [listener('listenerFour', async (event) => (again.push(event.id), end()))])
  await acme.administrator.call(tenancy.calls.change, { ...settings, supportEmail: 'five@example.org' })
  await last
  await third.stop()
  expect(again).not.toContain(refused?.[0])
})

test('of two servers one delivers, and the other takes over when it stops', async () => {
  const one = hearing('listenerThree', 1)
  const first = startBus(house.house, [one.room])
  await one.heard
  const two = hearing('listenerThree', 1)
  const second = startBus(house.house, [two.room])
  await first.stop()
  await acme.administrator.call(tenancy.calls.change, { ...settings, supportEmail: 'three@example.org' })
  expect((await two.heard)[0]?.body).toEqual({ fields: ['supportEmail'] })
  await second.stop()
})
