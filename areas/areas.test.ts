// The house as a whole, out of the contracts: the specification's route table, one address for each thing, and at every call the door that
// its contract names. What is true of each call is asked of each call, those of tomorrow's rooms too.

import { sql } from 'kysely'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { rooms } from '#apps/server/rooms.ts'
import type { Call } from '#core/contract/contract.ts'
import { fillPath, paramNames } from '#core/contract/paths.ts'
import { isPermission, permissions, type Permission } from '#core/contract/permission-labels.ts'
import { placeFaults } from '#core/contract/places.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { listRoutes } from '../tools/routes.ts'
import { order } from './order.ts'
import { routeTable } from './route-table.ts'
import { sessions } from './sessions/contract.ts'

const lines = listRoutes()
const screens = lines.filter(({ kind }) => kind === 'screen')
const calls: Call[] = rooms.flatMap((room) => room.calls.map(({ call }) => call))

/** The same address whatever its parameters are called. */
const shapeOf = (path: string) => path.replace(/:\w+/g, ':').replace(/(.)\/$/, '$1')

describe('The rooms', () => {
  test('are the folders of areas, and those with a server are served in the order of areas/order.ts', () => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    expect(folders.toSorted()).toEqual([...order].toSorted())
    expect(rooms.map(({ area }) => area)).toEqual(order.filter((room) => existsSync(join(import.meta.dirname, room, 'server/index.ts'))))
  })

  test('call themselves by their folder', () => {
    for (const { area, contract } of rooms)
      for (const one of [...Object.values(contract.calls), ...Object.values(contract.screens), ...Object.values(contract.streams)])
        expect(one.area).toBe(area)
  })
})

test('Every screen has its place on the map of the navigation, and no two in the menu are called alike', () => {
  const all = rooms.flatMap(({ contract }) => Object.values(contract.screens))
  expect(placeFaults(all)).toEqual([])
  const titles = all.flatMap(({ menu, title }) => (menu === undefined ? [] : [title]))
  expect(titles.length).toBeGreaterThan(30)
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([])
})

describe('An address', () => {
  test('belongs to one thing', () => {
    const keys = lines.map(({ kind, method, path }) => `${kind === 'screen' ? 'screen' : method} ${shapeOf(path)}`)
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
  })

  test('needs a permission of the product, a session, or is public by its own word', () => {
    expect(lines.filter(({ needs }) => needs !== 'public' && needs !== 'signedIn' && !isPermission(needs))).toEqual([])
  })

  test('that changes something and is public is one of these', () => {
    const open = calls
      .filter((call) => call.needs === 'public' && call.method !== 'GET' && call.reads !== true)
      .map(({ area, name }) => `${area}.${name}`)
    expect(open.sort()).toEqual([
      'mtls.begin',
      'mtls.finish',
      'passkeys.signIn',
      'portal.openSession',
      'portal.request',
      'protocols.revealChallenge',
      'recovery.request',
      'recovery.reset',
      'registration.finish',
      'registration.register',
      'registration.verify',
      'sessions.TOTPAuth',
      'sessions.activate',
      'sessions.login',
      'sessions.logout',
      'setup.run',
      'smartcards.anonymousChangePin',
      'smartcards.anonymousResetByAnswers',
      'smartcards.anonymousResetByPassphrase',
      'smartcards.anonymousTicket',
      'sso.begin',
      'sso.finish',
    ])
  })

  test('that is public and takes a secret stands on a floor', () => {
    const open = calls
      .filter((call) => call.needs === 'public' && call.method !== 'GET' && call.limit === undefined)
      .map(({ area, name }) => `${area}.${name}`)
    expect(open.sort()).toEqual(['sessions.legacyLogout', 'sessions.logout'])
  })
})

describe('The route table of the specification', () => {
  test('names each address once', () => {
    const shapes = routeTable.map(({ path }) => shapeOf(path))
    expect(shapes.filter((shape, at) => shapes.indexOf(shape) !== at)).toEqual([])
  })

  test('is kept: what is built needs exactly what it says', () => {
    const built = routeTable.flatMap(({ path, needs }) => {
      const screen = screens.find((one) => shapeOf(one.path) === shapeOf(path))
      return screen === undefined ? [] : [{ path, needs, is: screen.needs }]
    })
    expect(built.filter(({ needs, is }) => needs !== is)).toEqual([])
    expect(built.length).toBeGreaterThan(20)
    const missing = routeTable.filter(({ path }) => !screens.some((one) => shapeOf(one.path) === shapeOf(path)))
    console.log(
      `${built.length} of ${routeTable.length} addresses of the specification are built. Not yet: ${missing.map(({ path }) => path).join(', ')}`,
    )
  })
})

let nobody: TestPerson
let everything: TestPerson

const house = await useHouse()
beforeAll(async () => {
  const acme = await house.tenancy('Acme')
  nobody = await acme.person({ permissions: [] })
  everything = await acme.person({ permissions: 'all' })
})

const inQuery = (call: Call) => call.method === 'GET' || call.method === 'DELETE'

async function ask(who: Pick<TestPerson, 'fetch'>, call: Call, body: string): Promise<{ status: number; code: string }> {
  const path = fillPath(call.path, Object.fromEntries(paramNames(call.path).map((name) => [name, '018f0000-0000-7000-8000-000000000001'])))
  const response = await who.fetch(path, {
    method: call.method,
    ...(inQuery(call) ? {} : { headers: { 'content-type': 'application/json' }, body }),
  })
  const answer: unknown = await response.json()
  return { status: response.status, code: String(Object(answer).code ?? '') }
}

describe('A fault of a contract', () => {
  const faults = calls.flatMap((call) =>
    Object.entries(call.faults ?? {}).map(([code, fault]) => ({ call, name: `${call.area}.${code}`, fault })),
  )

  test('that names a constraint names one of the database', async () => {
    const { rows } = await sql<{ name: string }>`select indexname as name from pg_indexes union select conname from pg_constraint`.execute(
      house.house.database,
    )
    const there = new Set(rows.map(({ name }) => name))
    const named = faults.flatMap(({ fault }) => fault.constraint ?? [])
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((constraint) => !there.has(constraint))).toEqual([])
  })

  test('that names a field names one that its call takes, or another call of the room with the same fault', () => {
    const takes = ({ input }: Call, field: string) => 'shape' in input && Object.hasOwn(Object(input.shape), field.split('.')[0] ?? '')
    const named = faults.filter(({ fault }) => fault.field !== undefined)
    expect(named.length).toBeGreaterThan(10)
    expect(
      named.filter(
        ({ name, fault }) =>
          !faults.some((one) => one.name === name && one.fault.field === fault.field && takes(one.call, fault.field ?? '')),
      ),
    ).toEqual([])
  })
})

describe('At every call', () => {
  test.each(rooms)('of $area a stranger is asked to sign in', async ({ calls: bound }) => {
    for (const { call } of bound.filter((one) => one.call.needs !== 'public'))
      expect([call.name, await ask(house, call, '{}')]).toEqual([call.name, { status: 401, code: 'not_logged_in' }])
  })

  test.each(rooms)('of $area a person without its permission is refused, whatever is sent', async ({ calls: bound }) => {
    for (const { call } of bound.filter((one) => isPermission(one.call.needs)))
      for (const body of ['{}', '[]', 'no JSON'])
        expect([call.name, await ask(nobody, call, body)]).toEqual([call.name, { status: 403, code: 'denied' }])
  })

  test('no other permission stands for its own', async () => {
    const acme = await house.tenancy('Globex')
    const needed = [...new Set(calls.map(({ needs }) => needs).filter((needs): needs is Permission => isPermission(needs)))]
    for (const needs of needed) {
      const almost = await acme.person({ permissions: (Object.keys(permissions) as Permission[]).filter((name) => name !== needs) })
      for (const call of calls.filter((one) => one.needs === needs))
        expect([call.name, await ask(almost, call, '{}')]).toEqual([call.name, { status: 403, code: 'denied' }])
    }
  })

  test('the permission to see a screen opens no call', async () => {
    const viewer = await house.tenancy('Initech')
    const looks = await viewer.person({ permissions: [] })
    await house.asOwner(
      `update roles set view = array['userView', 'manageCAs', 'audit'], menu = array['userView'] where name = 'Role of ${looks.username}'`,
    )
    const [seen] = await looks.call(sessions.calls.legacyLogin, {})
    expect(seen?.permission).toMatchObject({ View: expect.arrayContaining(['userView', 'manageCAs', 'audit']), api: [] })
    for (const call of calls.filter(({ needs }) => ['userView', 'manageCAs', 'audit'].includes(needs)))
      expect([call.name, await ask(looks, call, '{}')]).toEqual([call.name, { status: 403, code: 'denied' }])
  })

  test('a token makes no token, and so hands nothing on', async () => {
    expect(everything.token).toMatch(/^chy_/)
    await expect(
      everything.call(sessions.calls.addToken, { name: 'more', scopes: ['userView'], days: 1, password: '' }),
    ).rejects.toMatchObject({ status: 403, code: 'session_needed' })
  })
})
