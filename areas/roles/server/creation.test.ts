import { describe, expect, test } from 'vitest'
import { users } from '#areas/users/contract.ts'
import { useHouse } from '#core/testing/house.ts'
import { roles } from '../contract.ts'
import { manyPeople } from '../creation.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const grace = acme.administrator
const { add, creation, search } = roles.calls
const draft = (name: string, api: string[] = []) => ({ name, description: '', view: [], menu: [], api })

describe('The dashboard of role creation', () => {
  test('shows which roles were made lately and by whom, and which nobody has', async () => {
    const { id } = await grace.call(add, draft('Stewards'))
    const { recent, nobody } = await grace.call(creation, {})
    expect(recent.rows[0]).toMatchObject({ id, name: 'Stewards', createdBy: grace.username, people: 0, builtIn: false })
    expect(nobody.rows.map((row) => row.id)).toContain(id)
    expect(nobody.total).toBe((await grace.call(search, { held: 'nobody' })).total)
    const person = await acme.person({ permissions: [] })
    const { username, givenName, familyName, emailAddress } = await grace.call(users.calls.read, { id: person.id })
    await grace.call(users.calls.change, { id: person.id, username, givenName, familyName, emailAddress, roleIds: [id] })
    const held = await grace.call(creation, {})
    expect(held.nobody.rows.map((row) => row.id)).not.toContain(id)
    expect(held.recent.rows.find((row) => row.id === id)).toMatchObject({ people: 1 })
    expect((await grace.call(search, { held: 'nobody' })).rows.map((row) => row.id)).not.toContain(id)
    house.clock.advance(8 * 86_400_000)
    expect((await grace.call(creation, { days: 7 })).recent).toEqual({ total: 0, rows: [] })
  })

  test('shows powerful roles that many have, with what makes them powerful', async () => {
    const powerful = (await grace.call(add, draft('Keepers', ['certView', 'userEdit', 'manageCAs']))).id
    const harmless = (await grace.call(add, draft('Readers', ['certView']))).id
    const give = async (at: number) =>
      grace.call(users.calls.add, {
        username: `keeper${at}`,
        givenName: 'Kim',
        familyName: 'Keeper',
        emailAddress: `keeper${at}@example.org`,
        roleIds: [powerful, harmless],
      })
    for (let at = 1; at < manyPeople; at += 1) await give(at)
    expect((await grace.call(creation, {})).dangerous.rows.map(({ id }) => id)).not.toContain(powerful)
    await give(manyPeople)
    const { dangerous } = await grace.call(creation, {})
    expect(dangerous.rows.find(({ id }) => id === powerful)).toMatchObject({ people: manyPeople, dangerous: ['manageCAs', 'userEdit'] })
    expect(dangerous.rows.map(({ id }) => id)).not.toContain(harmless)
  })

  test('shows no role to who may add roles and not see them', async () => {
    const maker = await acme.person({ permissions: ['roleAdd'] })
    expect(await maker.call(creation, {})).toEqual({
      recent: { total: 0, rows: [] },
      nobody: { total: 0, rows: [] },
      dangerous: { total: 0, rows: [] },
    })
  })
})
