import { expect, test } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { tickets } from '#areas/tickets/contract.ts'
import { users } from '#areas/users/contract.ts'
import { useHouse } from '#core/testing/house.ts'
import { preferences } from '../contract.ts'

const { calls } = preferences

const house = await useHouse()
const acme = await house.tenancy('Acme')
const ada = await acme.person({ permissions: [] })
const bob = await acme.person({ permissions: 'all' })

test('favourites are kept for each person, in their order, each once', async () => {
  const places = [
    { path: '/search/certificate', label: 'Inventory' },
    { path: '/home', label: 'Home' },
  ]
  expect(await ada.call(calls.favourites, { userId: ada.id })).toEqual({ savedfavourites: [] })
  await ada.call(calls.setFavourites, { query: [...places, { path: '/home', label: 'Home' }], userID: ada.id })
  expect(await ada.call(calls.favourites, { userId: ada.id })).toEqual({ savedfavourites: places })
  expect(await bob.call(calls.favourites, { userId: bob.id })).toEqual({ savedfavourites: [] })
  await ada.call(calls.setFavourites, { query: places.toReversed(), userID: ada.id })
  expect((await ada.call(calls.favourites, { userId: ada.id })).savedfavourites).toEqual(places.toReversed())
})

test("nobody reads or changes another's, whoever asks", async () => {
  await expect(bob.call(calls.favourites, { userId: ada.id })).rejects.toMatchObject({ status: 404 })
  await expect(bob.call(calls.setFavourites, { query: [], userID: ada.id })).rejects.toMatchObject({ status: 404 })
  expect((await ada.call(calls.favourites, { userId: ada.id })).savedfavourites).toHaveLength(2)
})

test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', 'home', '', '/a\\b', '/a\nb'])(
  'a favourite leads nowhere else: %j',
  async (path) => {
    await expect(ada.call(calls.setFavourites, { query: [{ path, label: 'x' }], userID: ada.id })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'query.0.path' }],
    })
  },
)

test('locales and time zones are listed, and one of each can be chosen', async () => {
  const { locales, timeZones } = await ada.call(calls.locales, {})
  expect(locales).toContainEqual({ id: 'en-NZ', name: 'English (New Zealand)' })
  expect([timeZones[0], timeZones.includes('Pacific/Auckland'), timeZones.length > 300]).toEqual(['UTC', true, true])
  expect(await ada.call(calls.settings, {})).toEqual({ dateLocale: '', timeZone: '', language: 'en-GB' })
  await ada.call(calls.saveSettings, { dateLocale: 'en-NZ', timeZone: 'Pacific/Auckland' })
  expect(await ada.call(calls.settings, {})).toEqual({ dateLocale: 'en-NZ', timeZone: 'Pacific/Auckland', language: 'en-GB' })
  expect((await ada.call(calls.favourites, { userId: ada.id })).savedfavourites).toHaveLength(2)
  await expect(ada.call(calls.saveSettings, { dateLocale: '', timeZone: 'Mars/Olympus' })).rejects.toMatchObject({
    status: 400,
    fields: [{ field: 'timeZone' }],
  })
})

test('mail comes in the language in which somebody uses the console, and in that of the tenancy to who has chosen none', async () => {
  const initech = await house.tenancy('Initech')
  const { administrator } = initech
  const [eve, dora] = [await initech.person({ permissions: 'all' }), await initech.person({ permissions: 'all' })]
  const lettersTo = async ({ username }: { username: string }) => {
    const { rows } = await administrator.call(mail.calls.outbox, { text: `${username}@` })
    return Promise.all(rows.map(async ({ id }) => (await administrator.call(mail.calls.read, { id })).text.split('\n')[0]))
  }
  const raise = () => administrator.call(tickets.calls.add, { title: 'Lost', category: 'Bug', description: 'Since Friday' })
  await eve.call(calls.saveLanguage, { language: 'de' })
  expect(await eve.call(calls.settings, {})).toMatchObject({ language: 'de' })
  await raise()
  expect([await lettersTo(eve), await lettersTo(dora)]).toEqual([
    [expect.stringMatching(/ hat dieses Ticket eröffnet:$/)],
    [expect.stringMatching(/ raised this ticket:$/)],
  ])
  await administrator.call(mail.calls.saveSettings, { senderName: '', replyTo: '', language: 'de' })
  await raise()
  expect((await lettersTo(dora))[0]).toMatch(/ hat dieses Ticket eröffnet:$/)
})

test('new people and new roles are counted by week, with the newest by name', async () => {
  const globex = await house.tenancy('Globex')
  const before = [await bob.call(calls.usersCreated, {}), await bob.call(calls.rolesCreated, {})] as const
  house.clock.advance(14 * 86_400_000)
  const { id } = await acme.administrator.call(users.calls.add, {
    username: 'rosalind',
    givenName: 'Rosalind',
    familyName: 'Franklin',
    emailAddress: 'rosalind@example.org',
  })
  const made = await acme.administrator.call(roles.calls.add, { name: 'Readers' })
  await globex.administrator.call(roles.calls.add, { name: 'Elsewhere' })
  house.clock.advance(1000)
  const after = [await bob.call(calls.usersCreated, {}), await bob.call(calls.rolesCreated, {})] as const
  expect(after.map(({ total }, at) => total - (before[at]?.total ?? 0))).toEqual([1, 1])
  expect(after.map(({ weeks }) => [weeks.length, weeks.at(-1)?.count])).toEqual([
    [12, 1],
    [12, 1],
  ])
  expect(after[0].newest[0]).toMatchObject({ id, name: 'Rosalind Franklin' })
  expect(after[1].newest[0]).toMatchObject({ name: 'Readers' })
  expect(Object.values(made)).toContain(after[1].newest[0]?.id)
  await expect(ada.call(calls.usersCreated, {})).rejects.toMatchObject({ status: 403 })
})
