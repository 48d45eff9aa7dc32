// What others send may be long, and holds up nobody: each door counts what it reads before it makes anything of it, and long bodies have a budget.

import { beforeAll, describe, expect, test } from 'vitest'
import { jsonOf } from '#areas/discovery/server/provider-page.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { usualBounds } from '#standards/json/read.ts'
import { bodyBudget } from './body-budget.ts'
import { Fault } from './fault.ts'

const house = await useHouse()
let grace: TestPerson
beforeAll(async () => void (grace = (await house.tenancy('Acme')).administrator))

const json = { 'content-type': 'application/json' }
/** 960 KB, either way. */
const deep = `{"token":${'['.repeat(480_000)}${']'.repeat(480_000)}}`
const wide = `{"token":[${'[],'.repeat(320_000)}[]]}`

describe('A body of nothing but brackets', () => {
  const post = (body: string) => house.fetch(sessions.calls.activate.path, { method: 'POST', headers: json, body })

  test.each([
    ['deep', deep, 'The JSON is nested deeper than 32 levels'],
    ['wide', wide, `The JSON holds more than ${usualBounds.values} values`],
  ])('that is %s is refused from anybody before anything is made of it', async (_, body, says) => {
    const answer = await post(body)
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'malformed', fields: [{ says }] }])
  })

  test('is no answer of a provider either', () => {
    expect([deep, wide].map((text) => jsonOf({ body: Buffer.from(text) }))).toEqual([undefined, undefined])
  })
})

describe('The budget of long bodies', () => {
  const megabyte = 1024 * 1024
  /** A moment that stands still, unlike the clock. */
  let now = house.clock.now()
  const budgetOf = (address: string, tenantId?: string) =>
    bodyBudget({
      house: house.house,
      facts: { ...facts, address },
      viewer: tenantId === undefined ? undefined : ({ tenantId } as never),
      now,
    })
  const facts = { id: '', userAgent: '', idempotencyKey: '', cookies: {}, bearer: undefined, secure: false }
  /** How many bodies of a megabyte are taken one after another. */
  function taken(address: string, tenantId?: string): number {
    for (let count = 0; ; count += 1)
      try {
        budgetOf(address, tenantId).bytes(megabyte)
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'too_many_requests') throw error
        return count
      }
  }

  test('is that of an address, and of a tenancy whatever address it comes from, and fills itself again', () => {
    const first = taken('192.0.2.1')
    expect(first).toBeGreaterThan(100)
    expect(taken('192.0.2.2')).toBe(first)
    // One that commands a network commands all of its addresses.
    expect(taken('2001:db8::1')).toBe(first)
    expect(taken('2001:db8::2')).toBe(0)
    expect([taken('192.0.2.3', 'a'), taken('192.0.2.4', 'a'), taken('192.0.2.5', 'b')]).toEqual([first, 0, first])
    now = new Date(now.getTime() + 1_000)
    expect(taken('192.0.2.1')).toBe(10)
  })

  test('is spent by values as well, and by no form', () => {
    expect(() => budgetOf('192.0.2.6').values(1_000_001)).not.toThrow()
    expect(() => budgetOf('192.0.2.6').bytes(60_000)).not.toThrow()
    expect(() => budgetOf('192.0.2.6').values(500)).not.toThrow()
    expect(() => budgetOf('192.0.2.6').values(2_000)).toThrow('Too Many Requests')
  })

  test('stands at the door: who has spent it is told when to come again, and is answered as before in all else', async () => {
    const long = JSON.stringify({ text: 'a'.repeat(100_000) })
    const search = (body: string) => grace.fetch(users.calls.search.path, { method: 'POST', headers: json, body })
    expect((await search(long)).status).toBe(400)
    now = house.clock.now()
    for (const address of ['127.0.0.1', '::1']) budgetOf(address).values(50_000_000)
    const refused = await search(long)
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { code: 'too_many_requests', params: { seconds: expect.any(Number) } },
    ])
    expect((await search('{}')).status).toBe(200)
    house.clock.advance(3_600_000)
    expect((await search(long)).status).toBe(400)
  })
})
