import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessions } from '#areas/sessions/contract.ts'
import { openTestHouse, type TestHouse } from '#core/testing/house.ts'
import { countAttempt, forgetLimits, giveBack, networkOf } from './limits.ts'

let house: TestHouse
beforeAll(async () => void (house = await openTestHouse({ settings: { CHANCERY_TRUST_PROXY: '127.0.0.1,::1,10.0.0.1' } })))
afterAll(() => house.close())

const attempt = (account: string | undefined, address: string | undefined, at = house.clock.now()) =>
  countAttempt(house.house.database, 'code', { account, address }, at)

async function refusedAfter(most: number, one: () => Promise<unknown>): Promise<number> {
  for (let count = 0; count < most; count += 1) {
    const refusal: unknown = await one().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refusal === undefined) continue
    expect(refusal).toMatchObject({ code: 'too_many_requests', status: 429, message: 'Too Many Requests' })
    return count
  }
  return most
}

describe('A floor', () => {
  test('lets an account fail six codes in five minutes, from whatever address', async () => {
    let address = 0
    expect(await refusedAfter(20, () => attempt('ada', `192.0.2.${(address += 1)}`))).toBe(6)
    expect(await refusedAfter(20, () => attempt('ADA', '198.51.100.7'))).toBe(0)
    expect(await refusedAfter(20, () => attempt('grace', '198.51.100.7'))).toBe(6)
    house.clock.advance(301_000)
    expect(await refusedAfter(20, () => attempt('ada', '192.0.2.1'))).toBe(6)
  })

  test('says for how long, and takes the right one after that', async () => {
    await refusedAfter(20, () => attempt('joan', '192.0.2.60'))
    house.clock.advance(60_000)
    await expect(attempt('joan', '192.0.2.60')).rejects.toMatchObject({ detail: { params: { seconds: 240 } } })
    house.clock.advance(241_000)
    await expect(attempt('joan', '192.0.2.60')).resolves.toHaveLength(2)
    for (let place = 0; place < 30; place += 1)
      await countAttempt(house.house.database, 'signIn', { account: 'joan', from: `192.0.2.${place}` }, house.clock.now())
    await expect(
      countAttempt(house.house.database, 'signIn', { account: 'joan', from: '198.51.100.9' }, house.clock.now()),
    ).rejects.toMatchObject({ detail: { params: { seconds: 1 } } })
  })

  test('lets an address fail a hundred times, for whatever account', async () => {
    let account = 0
    expect(await refusedAfter(200, () => attempt(`person${(account += 1)}`, '203.0.113.9'))).toBe(100)
  })

  test('holds when a hundred guesses arrive at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, (_, at) => attempt('margaret', `192.0.2.${at}`)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(6)
  })

  test('starts an account anew after a success, and gives the address its one attempt back', async () => {
    const tickets = await attempt('radia', '203.0.113.77')
    await giveBack(house.house.database, tickets)
    expect(await refusedAfter(20, () => attempt('radia', undefined))).toBe(6)
    expect(await refusedAfter(200, () => attempt(undefined, '203.0.113.77'))).toBe(100)
  })

  test('lets a stranger use up the account at his own place alone, and all strangers together for moments', async () => {
    let now = house.clock.now()
    const from = (place: string, device?: string) =>
      countAttempt(house.house.database, 'signIn', { account: 'hedy', from: place, address: place, device }, now)
    expect(await refusedAfter(20, () => from('192.0.2.1'))).toBe(10)
    await expect(from('192.0.2.2')).resolves.toHaveLength(3)
    for (const place of ['192.0.2.3', '192.0.2.4']) await refusedAfter(20, () => from(place))
    expect(await refusedAfter(20, () => from('192.0.2.9'))).toBe(0)
    expect(await refusedAfter(20, () => from('192.0.2.9', 'known'))).toBe(10)
    const pauses: number[] = []
    for (let round = 0; round < 11; round += 1) {
      let seconds = 0
      while ((await from(`198.51.100.${seconds % 200}`).catch(() => undefined)) === undefined)
        now = new Date(now.getTime() + 1000 * Math.max(1, (seconds += seconds === 0 ? 1 : seconds) / 2))
      pauses.push(seconds)
    }
    expect(Math.max(...pauses)).toBeLessThanOrEqual(512)
    expect(pauses.at(-1)).toBeGreaterThan(60)
  })

  test('gives a choice of names back one at a time: a good one wipes no slate', async () => {
    const name = () => countAttempt(house.house.database, 'name', { account: 'lise', from: 'token' }, house.clock.now())
    const good = await name()
    for (let count = 0; count < 40; count += 1) await name()
    await giveBack(house.house.database, good)
    expect(await refusedAfter(80, name)).toBe(20)
  })

  test('forgets what has ended, and nothing else', async () => {
    const count = async () =>
      (await sql<{ counts: number }>`select count(*) as counts from floor_counts`.execute(house.house.database)).rows[0]?.counts
    house.clock.advance(3_600_000)
    await attempt('barbara', '192.0.2.200')
    await forgetLimits(house.house.database, house.clock.now())
    expect(await count()).toBe(2)
    house.clock.advance(300_000)
    await forgetLimits(house.house.database, house.clock.now())
    expect(await count()).toBe(0)
  })
})

test('an address of IPv6 counts as its network', () => {
  const same = [
    '2001:db8:1:2::1',
    '2001:DB8:1:2:ffff:ffff:ffff:ffff',
    '2001:0db8:0001:0002:0:0:0:9',
    '2001:db8:1:2::',
    '2001:db8:1:2::192.0.2.1',
  ]
  expect(new Set(same.map(networkOf))).toEqual(new Set(['2001:db8:1:2::/64']))
  expect(networkOf('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
  expect(networkOf('::1')).toBe('0:0:0:0::/64')
  expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
  expect(networkOf('192.0.2.1')).toBe('192.0.2.1')
  expect(networkOf('garbage')).toBe('garbage')
})

describe('The address that counts', () => {
  const failing = (headers: Record<string, string>) =>
    house.fetch(sessions.calls.login.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ username: 'nobody', password: 'x' }),
    })
  const counted = async () => {
    await sql`delete from floor_counts`.execute(house.house.database)
    return async () =>
      (await sql<{ key: string }>`select key from floor_counts where key like 'signIn:address:%'`.execute(house.house.database)).rows.map(
        ({ key }) => key.replace('signIn:address:', ''),
      )
  }

  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['203.0.113.1, 198.51.100.7', '198.51.100.7'],
    ['203.0.113.1, 198.51.100.7, 10.0.0.1', '198.51.100.7'],
    ['198.51.100.7, 203.0.113.1, 10.0.0.1, 127.0.0.1', '203.0.113.1'],
    [' ::ffff:198.51.100.7 ', '198.51.100.7'],
  ])('behind trusted proxies, of "%s", is the last that no proxy of ours has', async (forwarded, address) => {
    const found = await counted()
    await failing({ 'x-forwarded-for': forwarded })
    expect(await found()).toEqual([address])
  })

  test('without trusted proxies is the connection’s, whatever is claimed', async () => {
    const own = await openTestHouse()
    try {
      await own.fetch(sessions.calls.login.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.7' },
        body: JSON.stringify({ username: 'nobody', password: 'x' }),
      })
      const { rows } = await sql<{ key: string }>`select key from floor_counts`.execute(own.house.database)
      expect(rows.map(({ key }) => key)).not.toContain('signIn:address:198.51.100.7')
      expect(rows.some(({ key }) => key === 'signIn:address:127.0.0.1' || key === 'signIn:address:0:0:0:0::/64')).toBe(true)
    } finally {
      await own.close()
    }
  })
})
