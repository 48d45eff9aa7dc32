// What is typed finds events by what they are called, by what they are about and by who did it.

import { expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { inTenant } from '#core/server/database.ts'
import { writeEvents } from '#core/server/events.ts'
import { useHouse } from '#core/testing/house.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const ada = await acme.person({ permissions: 'all', username: 'ada' })

const write = (name: string) =>
  inTenant(house.house.database, acme.id, (db) =>
    writeEvents(db, acme.id, [
      {
        at: house.clock.now(),
        actor_id: null,
        actor: 'ada',
        address: '',
        area: 'keys',
        name,
        outcome: 'done',
        about: 'key-1',
        body: '{}',
        request_id: 'r',
      },
    ]),
  )

test.each(['Registered a hardware token', 'registered hardware', 'Hardware token REGISTERED', 'keys.tokenRegistered', 'tokenregistered'])(
  'finds an event by its words: %s',
  async (text) => {
    await write('tokenRegistered')
    const { rows, sought } = await ada.call(audit.calls.search, { text, area: 'keys', size: 10 })
    expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(['tokenRegistered']))
    expect(sought?.events).toContain('keys.tokenRegistered')
  },
)

test('finds no event by words that are not its own', async () => {
  await write('tokenRegistered')
  expect((await ada.call(audit.calls.search, { text: 'Registered a software token' })).total).toBe(0)
  expect((await ada.call(audit.calls.search, { text: 'oken' })).sought).toEqual({
    events: [],
    things: 0,
    moreThings: false,
    newest: 50_000,
  })
})

test('finds what is about a person, and what that person did, by the name as it is now', async () => {
  const grace = await acme.person({ permissions: 'all', username: 'g1906', givenName: 'Grace', familyName: 'Hopper' })
  await grace.call(roles.calls.add, { name: 'Compiler writers', view: [], menu: [], api: [] })
  const found = await ada.call(audit.calls.search, { text: 'grace hop', size: 100 })
  expect(found.rows.some((row) => row.area === 'roles' && row.name === 'added' && row.actorId === grace.id)).toBe(true)
  expect(found.sought).toMatchObject({ things: 1, moreThings: false })
  const [added] = (await ada.call(audit.calls.search, { text: 'compiler wri' })).rows
  expect(added).toMatchObject({ area: 'roles', name: 'added', named: { name: 'Compiler writers' } })
  const asked = await house.tenancy('Elsewhere')
  expect((await asked.administrator.call(audit.calls.search, { text: 'compiler wri' })).total).toBe(0)
})

test('finds each event once, whatever it is found by, on one page and on several', async () => {
  const tenancy = await house.tenancy('Once')
  const reader = tenancy.administrator
  const { id } = await reader.call(roles.calls.add, { name: 'Added keepers', view: [], menu: [], api: [] })
  for (const name of ['Added one', 'Added two', 'Added three']) await reader.call(roles.calls.add, { name, view: [], menu: [], api: [] })
  await reader.call(roles.calls.change, { id, name: 'Added keepers', description: 'More', view: [], menu: [], api: [] })
  for (const direction of ['asc', 'desc'] as const) {
    const all = await reader.call(audit.calls.search, { text: 'added', area: 'roles', direction, size: 100 })
    expect(all.total).toBe(5)
    expect(all.facets.area['roles']).toBe(5)
    expect(all.rows.map(({ at }) => at)).toEqual(
      all.rows.map(({ at }) => at).toSorted((a, b) => (direction === 'asc' ? 1 : -1) * (a < b ? -1 : a > b ? 1 : 0)),
    )
    const pages = [
      await reader.call(audit.calls.search, { text: 'added', area: 'roles', direction, size: 10, page: 1 }),
      await reader.call(audit.calls.search, { text: 'added', area: 'roles', direction, size: 10, page: 2 }),
    ]
    expect(pages.flatMap(({ rows }) => rows.map((row) => row.id))).toEqual(all.rows.map((row) => row.id))
  }
  const csv = (await (await reader.fetch('/api2/Monitoring-v1/ExportAuditEvents?text=added&area=roles')).text()).trimEnd().split('\r\n')
  expect(csv).toHaveLength(6)
})

test('finds by words and names what lies behind more events than a text is looked for in', async () => {
  const tenancy = await house.tenancy('Long')
  const reader = tenancy.administrator
  const { id } = await reader.call(roles.calls.add, { name: 'Long ago', view: [], menu: [], api: [] })
  await house.asOwner(`set row_security = off; insert into events (tenant_id, id, at, actor_id, actor, address, area, name, outcome, about, body, request_id)
    select '${tenancy.id}', gen_random_uuid(), now() + interval '1 day', null, 'bot', '', 'keys', 'tokenAvailable', 'done', 'key-' || n, '{}', 'r' from generate_series(1, 50001) n;
    insert into events (tenant_id, id, at, actor_id, actor, address, area, name, outcome, about, body, request_id)
    values ('${tenancy.id}', gen_random_uuid(), now(), null, 'ghost (Elsewhere)', '', 'keys', 'tokenAvailable', 'done', 'key-0', '{}', 'r')`)
  for (const text of ['Added a role', 'long ago', id])
    expect(await reader.call(audit.calls.search, { text, area: 'roles' })).toMatchObject({
      sought: { newest: 50_000 },
      rows: expect.arrayContaining([expect.objectContaining({ about: id })]) as unknown,
    })
  expect((await reader.call(audit.calls.search, { text: 'Long ago' })).total).toBe(1)
  expect(await reader.call(audit.calls.search, { text: 'Found a hardware token' })).toMatchObject({ total: 10_000, more: true })
  // What somebody here did is found by who they are; a name that is only written in the event, among the newest.
  const by = (filter: { actor: string; text?: string; to?: string }) => reader.call(audit.calls.search, { size: 100, ...filter })
  const mine = await by({ actor: reader.username.slice(0, -1).toUpperCase() })
  expect(mine.rows.map(({ about }) => about)).toContain(id)
  expect(mine.sought).toMatchObject({ newest: 50_000 })
  const to = house.clock.now().toISOString()
  expect([(await by({ actor: 'ghost' })).total, (await by({ actor: 'ghost', to })).total]).toEqual([0, 1])
  expect([(await by({ actor: 'ghost', text: 'key-0' })).total, (await by({ actor: 'ghost', text: 'key-0', to })).total]).toEqual([0, 1])
  const response = await reader.fetch('/api2/Monitoring-v1/ExportAuditEvents?text=Added%20a%20role')
  expect(await response.text()).toContain(id)
})
