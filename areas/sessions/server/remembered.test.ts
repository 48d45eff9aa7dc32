// Who holds a token is remembered between requests. What that must never mean is tried here.

import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { users } from '#areas/users/contract.ts'
import { openHouse, type OpenHouse } from '#core/server/open.ts'
import { CallRefused, caller } from '#core/testing/caller.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { findViewer } from '../service.ts'

let second: OpenHouse

const house = await useHouse()
const acme = await house.tenancy('Acme')
beforeAll(async () => {
  second = await openHouse({
    settings: house.house.settings,
    connection: house.connection,
    rooms: house.rooms,
    identify: findViewer,
    port: 0,
    migrated: true,
    background: false,
  })
})

afterAll(async () => {
  await second.close()
})

const here = () => house.origin
const there = () => `http://localhost:${second.doors.port}`

const statusOf = (origin: string, { token }: TestPerson): Promise<number> =>
  caller(origin, { authorization: `Bearer ${token}` })
    .call(users.calls.search, {})
    .then(
      () => 200,
      (error: unknown) => (error instanceof CallRefused ? error.status : 0),
    )

const asked = async (person: TestPerson) => [
  await statusOf(here(), person),
  await statusOf(there(), person),
  await statusOf(here(), person),
  await statusOf(there(), person),
]

test('a token opens nothing from the answer on that disabled its person, and a moment later on no other server either', async () => {
  for (let round = 0; round < 3; round += 1) {
    const person = await acme.person({ permissions: 'all' })
    expect(await asked(person)).toEqual([200, 200, 200, 200])
    const { cache } = second.house
    const version = cache.version()
    await acme.administrator.call(users.calls.setEnabled, { id: person.id, enabled: false })
    expect(await statusOf(here(), person)).toBe(401)
    // As soon as the notice of the change is there.
    await expect.poll(() => cache.isCurrent(version), { interval: 10 }).toBe(false)
    expect(await statusOf(there(), person)).toBe(401)
  }
})

test('a token opens nothing for a request that was begun before its person was disabled, however slowly it comes', async () => {
  const person = await acme.person({ permissions: 'all' })
  const body = '{"text":"ada"}'
  const { path } = users.calls.search
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${person.token}`,
    'Content-Type: application/json',
    'Connection: close',
    `Content-Length: ${body.length}`,
  ]
  for (const [disabled, status] of [
    [false, 200],
    [true, 401],
  ] as const) {
    const socket = connect(Number(new URL(house.origin).port), 'localhost')
    let received = ''
    socket.on('data', (bytes) => (received += bytes.toString()))
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`)
    // It has been met once others that came later are answered.
    expect(await asked(person)).toEqual([200, 200, 200, 200])
    if (disabled) await acme.administrator.call(users.calls.setEnabled, { id: person.id, enabled: false })
    socket.write(body.slice(5))
    await once(socket, 'close')
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  }
})

test('a token that has ended opens nothing, however often it was used a moment before', async () => {
  const person = await acme.person({ permissions: 'all' })
  expect(await asked(person)).toEqual([200, 200, 200, 200])
  house.clock.advance(3651 * 86_400_000)
  expect(await statusOf(here(), person)).toBe(401)
})
