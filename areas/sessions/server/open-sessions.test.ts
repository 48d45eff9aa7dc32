// A person's open sessions: seen, ended one by one and all together; and how soon a socket hears that its session is over.

import { expect, test } from 'vitest'
import WebSocket from 'ws'
import * as z from 'zod'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import { contract } from '#core/contract/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { serve } from '#core/server/serve.ts'
import { forgeryToken, sessionCookie } from '#core/server/steps/forgery.ts'
import { caller, refusal } from '#core/testing/caller.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { watchLooks } from '#core/testing/looks.ts'
import { sessions } from '../contract.ts'
import { openSession } from '../service.ts'

const listening = contract({
  area: 'listening',
  title: 'Listening',
  streams: { listen: { path: '/stream/listen', needs: 'monitor', input: z.object({}), event: z.object({ at: z.number() }) } },
})
const room = serve(
  listening,
  {},
  {
    streams: {
      async *listen(_input, { signal }) {
        yield { at: 0 }
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    },
  },
)

const house = await useHouse({ moreRooms: [room] })
const acme = await house.tenancy('Acme')
const { ownSessions, endOwnSession, endOwnSessions, endSessions, checkSession } = sessions.calls

/** A session from another place. Answers its cookie. */
const signedInFrom = (person: TestPerson, address: string, userAgent: string): Promise<string> =>
  inTenant(house.house.database, acme.id, async (db) => {
    const draft = { tenantId: acme.id, userId: person.id, stage: 'open' as const, strong: false, address, userAgent }
    return `${sessionCookie}=${(await openSession(db, draft, house.clock.now())).secret}`
  })

const statusOf = async (cookie: string): Promise<number> =>
  (await caller(house.origin, { cookie, origin: house.origin }).fetch('/api/login')).status

/** Follows the stream with a session; `closed` says with which code it ended. */
async function follow(cookie: string): Promise<{ closed: Promise<number> }> {
  const socket = new WebSocket(`ws://localhost:${house.doors.port}/stream/listen`, { headers: { cookie } })
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  socket.on('open', () => socket.send('{}'))
  await new Promise((resolve) => socket.once('message', resolve))
  return { closed }
}

test('A person sees the own sessions alone, and ends one that was left open elsewhere', async () => {
  const ada = await acme.person({ permissions: [] })
  const bob = await acme.person({ permissions: [] })
  const page = await ada.session()
  const left = await signedInFrom(ada, '192.0.2.7', 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1')
  const { rows } = await page.call(ownSessions, {})
  expect(rows.map(({ current, address }) => ({ current, address }))).toContainEqual({ current: false, address: '192.0.2.7' })
  expect(rows.filter(({ current }) => current)).toHaveLength(1)
  const elsewhere = rows.find(({ address }) => address === '192.0.2.7')?.id ?? ''
  expect((await refusal((await bob.session()).call(endOwnSession, { id: elsewhere }))).status).toBe(404)
  expect(await statusOf(left)).toBe(200)
  await page.call(endOwnSession, { id: elsewhere })
  expect([await statusOf(left), (await page.call(ownSessions, {})).rows.length]).toEqual([401, 1])
})

test('Signing out everywhere ends the session that asks, too, and no session of anybody else; tokens stay', async () => {
  const ada = await acme.person({ permissions: [] })
  const bob = await acme.person({ permissions: [] })
  const page = await ada.session()
  const [left, kept] = [await signedInFrom(ada, '192.0.2.8', ''), await signedInFrom(bob, '192.0.2.9', '')]
  expect((await page.call(endOwnSessions, {})).ended).toBeGreaterThanOrEqual(2)
  expect((await refusal(page.call(checkSession, {}))).status).toBe(401)
  expect([await statusOf(left), await statusOf(kept)]).toEqual([401, 200])
  expect((await ada.call(checkSession, {})).sessionCookies).toEqual([])
  expect((await audited(house, acme.id)).map(({ name }) => name)).toContain('sessionsEnded')
})

test('An administrator signs somebody out everywhere, and nobody who holds more', async () => {
  const officer = await (await acme.person({ permissions: ['userEdit'] })).session()
  const ada = await acme.person({ permissions: [] })
  const left = await signedInFrom(ada, '192.0.2.10', '')
  expect((await officer.call(endSessions, { userId: ada.id })).ended).toBeGreaterThanOrEqual(1)
  expect(await statusOf(left)).toBe(401)
  expect((await refusal(officer.call(endSessions, { userId: acme.administrator.id }))).code).toBe('beyond')
})

test.each([
  [
    'the account is disabled',
    async (person: TestPerson) => acme.administrator.call(users.calls.setEnabled, { id: person.id, enabled: false }),
  ],
  [
    'the role is taken away',
    async (person: TestPerson) => {
      const { status: _, mayEdit: __, mayIdentify: ___, ...user } = await acme.administrator.call(users.calls.read, { id: person.id })
      const { username, givenName, familyName, emailAddress } = user
      return acme.administrator.call(users.calls.change, { id: person.id, username, givenName, familyName, emailAddress, roleIds: [] })
    },
  ],
  [
    'the role loses the permission',
    async (person: TestPerson) => {
      const { roles: held } = await acme.administrator.call(users.calls.read, { id: person.id })
      const { id, name, description, version } = await acme.administrator.call(roles.calls.read, { id: held[0]?.id ?? '' })
      return acme.administrator.call(roles.calls.change, { id, name, description, version, view: [], menu: [], api: [] })
    },
  ],
  ['the person signs out everywhere', async (person: TestPerson) => (await person.session()).call(endOwnSessions, {})],
])('A socket ends within five seconds once %s', async (_why, take) => {
  const person = await acme.person({ permissions: ['monitor'] })
  const looks = watchLooks(house)
  const { closed } = await follow(await signedInFrom(person, '192.0.2.11', ''))
  await take(person)
  const before = looks.made()
  expect(await closed).toBe(4401)
  // The change is known with its answer, and the first look after that ends it: two, where one was just beginning.
  expect((looks.made() - before) * looks.pause()).toBeLessThanOrEqual(2 * 500)
})

test('A socket ends within a second of the sign-out of its session', async () => {
  const person = await acme.person({ permissions: ['monitor'] })
  const cookie = await signedInFrom(person, '192.0.2.12', '')
  const looks = watchLooks(house)
  const { closed } = await follow(cookie)
  const page = caller(house.origin, { cookie, 'x-xsrf-token': forgeryToken(cookie.replace(/^.*=/, '')) })
  await page.call(sessions.calls.logout, {})
  const before = looks.made()
  expect(await closed).toBe(4401)
  expect((looks.made() - before) * looks.pause()).toBeLessThanOrEqual(2 * 500)
})
