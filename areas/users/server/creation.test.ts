import { describe, expect, test } from 'vitest'
import { refusal } from '#core/testing/caller.ts'
import { useHouse } from '#core/testing/house.ts'
import { users } from '../contract.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const grace = acme.administrator
const { add, creation, invite, search, setEnabled } = users.calls

let count = 0
const made = async () => {
  count += 1
  const name = { username: `made${count}`, givenName: 'New', familyName: `Comer ${count}`, emailAddress: `made${count}@example.org` }
  return (await grace.call(add, name)).id
}
const day = 86_400_000

describe('The dashboard of user creation', () => {
  test('counts who was made in a period, by day, way and state, and the list shows exactly those', async () => {
    const before = await grace.call(creation, { days: 7 })
    const first = await made()
    await made()
    const gone = await made()
    await grace.call(setEnabled, { id: gone, enabled: false })
    const active = await acme.person({ permissions: [] })
    const now = await grace.call(creation, { days: 7 })
    expect(now).toMatchObject({
      created: before.created + 4,
      active: before.active + 1,
      invited: before.invited + 2,
      disabled: before.disabled + 1,
      lapsed: 0,
      withoutLink: 0,
    })
    expect(now.columns).toHaveLength(7)
    expect(now.columns.at(-1)).toEqual({ from: now.until, until: now.until, created: before.created + 4 })
    expect(now.origins.map(({ origin }) => origin)).toContain('form')
    const among = (await grace.call(search, { createdFrom: now.from, createdUntil: now.until, size: 200 })).rows.map(({ id }) => id)
    expect(among).toHaveLength(now.created)
    expect(among).toEqual(expect.arrayContaining([first, gone, active.id]))
    const invited = await grace.call(search, { createdFrom: now.from, createdUntil: now.until, status: 'invited', origin: 'form' })
    expect(invited.total).toBe(now.invited)
    expect(await grace.call(search, { createdUntil: '2020-01-01' })).toMatchObject({ total: 0 })
    // Two words, of which one is another's: who is counted is who is found.
    const found = await grace.call(search, { text: 'new made1', createdFrom: now.from })
    expect(found).toMatchObject({ total: 1, rows: [{ id: first }], facets: { status: { invited: 1, active: 0, disabled: 0 } } })
    expect(await grace.call(search, { text: 'new comer', status: 'disabled' })).toMatchObject({
      total: 1,
      facets: { status: { invited: 2 } },
    })
  })

  test('tells whose activation link is over, who waits longest, and that a new link is good again', async () => {
    const [longest] = (await grace.call(creation, {})).waiting
    house.clock.advance(8 * day)
    const late = await grace.call(creation, { days: 30 })
    expect(late.waiting[0]).toMatchObject({ id: longest?.id, link: 'lapsed', origin: 'form' })
    expect(late.lapsed).toBe(late.invited)
    expect((await grace.call(search, { link: 'lapsed', createdFrom: late.from })).total).toBe(late.lapsed)
    await grace.call(invite, { id: longest?.id ?? '' })
    const after = await grace.call(creation, { days: 30 })
    expect(after.lapsed).toBe(late.lapsed - 1)
    expect(after.waiting[0]).toMatchObject({ id: longest?.id, link: 'good' })
    expect((await grace.call(search, { link: 'lapsed', createdFrom: late.from })).rows.map(({ id }) => id)).not.toContain(longest?.id)
  })

  test('looks back over 7, 30 or 90 days and nothing else', async () => {
    expect((await grace.call(creation, { days: 90 })).columns).toHaveLength(30)
    expect((await grace.call(creation, { days: 7 })).created).toBe(0)
    expect(await refusal(grace.call(creation, { days: 8 as 7 }))).toMatchObject({ status: 400 })
  })

  test('names nobody to who may add users and not see them', async () => {
    const clerk = await acme.person({ permissions: ['userAdd'] })
    expect(await clerk.call(creation, { days: 30 })).toMatchObject({ waiting: [] })
    const globex = await house.tenancy('Globex')
    expect((await globex.administrator.call(creation, { days: 90 })).created).toBe(1)
  })
})
