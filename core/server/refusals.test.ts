// What was refused stands in the log, and a flood of it in a few rows with the right number.

import { expect, test } from 'vitest'
import { roles } from '#areas/roles/contract.ts'
import { sessions } from '#areas/sessions/contract.ts'
import { users } from '#areas/users/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { installationTenant } from './events.ts'
import { makeTenantSecret } from './secrets.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const mallory = await acme.person({ permissions: [] })

const role = { name: 'Burglar', description: '' }
const refusedOf = async (actorId: string) =>
  (await audited(house, acme.id)).filter((event) => event.actor_id === actorId && event.outcome === 'refused')

test('a refused change leaves a row that says who, what and why, and no more', async () => {
  const trudy = await acme.person({ permissions: [] })
  await expect(trudy.call(roles.calls.add, { ...role, description: 'a secret plan' })).rejects.toMatchObject({
    status: 403,
    code: 'denied',
  })
  const [row, ...more] = await refusedOf(trudy.id)
  expect(more).toEqual([])
  expect(row).toMatchObject({ actor: trudy.username, area: 'roles', name: 'add', outcome: 'refused' })
  expect(JSON.parse(row?.body ?? '')).toEqual({ code: 'denied', permission: 'roleAdd' })
})

test('a refused look leaves none', async () => {
  const reader = await acme.person({ permissions: [] })
  await expect(reader.call(users.calls.search, {})).rejects.toMatchObject({ status: 403 })
  await expect(reader.call(roles.calls.grantable, {})).rejects.toMatchObject({ status: 403 })
  expect(await refusedOf(reader.id)).toEqual([])
})

test('a thousand refused attempts leave a few rows whose number adds up to a thousand', async () => {
  const burst = 50
  for (let done = 0; done < 1000; done += burst)
    await Promise.all(
      Array.from({ length: burst }, () => expect(mallory.call(roles.calls.add, role)).rejects.toMatchObject({ status: 403 })),
    )
  house.clock.advance(120_000)
  // The flood is over: nobody needs to be refused again for it to be summed up.
  const counted = async () => (await refusedOf(mallory.id)).reduce((sum, row) => sum + Number(JSON.parse(row.body).more ?? 1), 0)
  await expect.poll(counted).toBe(1000)
  expect((await refusedOf(mallory.id)).length).toBeLessThan(20)
})

test('a stranger who signs out, or invents links and tenancies, fills no log', async () => {
  const strangers = async () => (await audited(house, installationTenant)).length
  const before = await strangers()
  const invented = '018f0000-0000-7000-8000-000000000000'
  const cookie = `chancery-session=${makeTenantSecret('', acme.id).text}; chancery-pending=${makeTenantSecret('', invented).text}`
  const headers = { 'content-type': 'application/json' }
  const rows = (await audited(house, acme.id)).length
  for (let at = 0; at < 20; at += 1) {
    expect((await house.fetch(sessions.calls.logout.path, { method: 'POST', headers: { ...headers, cookie }, body: '{}' })).status).toBe(
      200,
    )
    const link = await house.fetch(sessions.calls.activate.path, {
      method: 'POST',
      headers,
      body: JSON.stringify({ token: makeTenantSecret('', `018f0000-0000-7000-8000-0000000000${at + 10}`).text, password: 'x' }),
    })
    expect(link.status).toBe(404)
  }
  expect((await strangers()) - before).toBeLessThanOrEqual(5)
  expect(await audited(house, invented)).toEqual([])
  expect((await audited(house, acme.id)).length).toBe(rows)
})

test('a person who signs out with a foreign cookie besides is recorded at home', async () => {
  const globex = await house.tenancy('Initech')
  const ada = await acme.person({ permissions: [] })
  await ada.fetch(sessions.calls.logout.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: `chancery-pending=${makeTenantSecret('', globex.id).text}` },
    body: '{}',
  })
  expect((await audited(house, globex.id)).filter((event) => event.actor_id === ada.id)).toEqual([])
  expect((await audited(house, acme.id)).filter((event) => event.actor_id === ada.id && event.name === 'signedOut')).toHaveLength(1)
})
