import { describe, expect, test } from 'vitest'
import { organisations } from '#areas/organisations/contract.ts'
import { registration } from '#areas/registration/contract.ts'
import { users } from '#areas/users/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse } from '#core/testing/house.ts'
import { roles } from '../contract.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const globex = await house.tenancy('Globex')
const grace = acme.administrator
const { add, compare, dependants, read, remove } = roles.calls

const invented = '018f0000-0000-7000-8000-000000000001'
let made = 0
const newRole = async (api: string[] = ['certView'], by = grace) =>
  (await by.call(add, { name: `Role ${(made += 1)}`, view: api, menu: [], api })).id
const give = async (userId: string, roleIds: string[]) => {
  const { username, givenName, familyName, emailAddress } = await grace.call(users.calls.read, { id: userId })
  await grace.call(users.calls.change, { id: userId, username, givenName, familyName, emailAddress, roleIds })
}

describe('Two roles', () => {
  test('are compared with what each grants and how many people have each and both', async () => {
    const [id, otherId] = [await newRole(['certView']), await newRole(['certView', 'audit'])]
    const [ida, joe] = [await acme.person({ permissions: [] }), await acme.person({ permissions: [] })]
    await give(ida.id, [id, otherId])
    await give(joe.id, [otherId])
    expect(await grace.call(compare, { id, otherId })).toMatchObject({
      role: { id, people: 1, api: ['certView'] },
      other: { id: otherId, people: 2, api: ['certView', 'audit'] },
      both: 1,
    })
  })

  test('of which one is another tenancy’s are as two of which one is not there', async () => {
    const [id, theirs] = [await newRole(), await newRole(['certView'], globex.administrator)]
    for (const otherId of [theirs, invented]) {
      await expect(grace.call(compare, { id, otherId })).rejects.toMatchObject({ status: 404, code: 'missing' })
      await expect(grace.call(compare, { id: otherId, otherId: id })).rejects.toMatchObject({ status: 404, code: 'missing' })
      await expect(grace.call(dependants, { id: otherId })).rejects.toMatchObject({ status: 404, code: 'missing' })
      await expect(grace.call(remove, { id: otherId, people: 0 })).rejects.toMatchObject({ status: 404, code: 'missing' })
    }
  })
})

describe('A role that is deleted', () => {
  test('is taken from its people from the next request on, and the log names each of them', async () => {
    const id = await newRole(['userView'])
    const temp = await acme.person({ permissions: [] })
    await give(temp.id, [id])
    await expect(temp.call(users.calls.search, {})).resolves.toHaveProperty('rows')
    expect(await grace.call(dependants, { id })).toEqual({ people: 1, blocks: false, counts: [] })
    await grace.call(remove, { id, people: 1 })
    await expect(temp.call(users.calls.search, {})).rejects.toMatchObject({ status: 403, code: 'denied' })
    await expect(grace.call(read, { id })).rejects.toMatchObject({ status: 404 })
    const { body, actor } = (await audited(house, acme.id)).find(({ name, about }) => name === 'deleted' && about === id) ?? {}
    expect([JSON.parse(body ?? '{}').people, actor]).toEqual([[temp.id], grace.username])
  })

  test('had no more people than whoever deletes it was told', async () => {
    const id = await newRole()
    await give((await acme.person({ permissions: [] })).id, [id])
    await expect(grace.call(remove, { id, people: 0 })).rejects.toMatchObject({ status: 409, code: 'otherPeople' })
    expect((await grace.call(dependants, { id })).people).toBe(1)
  })

  test('was none of those that a tenancy is born with, and granted no more than one holds', async () => {
    const { rows } = await grace.call(roles.calls.search, { size: 100 })
    for (const { id, people } of rows.filter(({ builtIn }) => builtIn))
      await expect(grace.call(remove, { id, people })).rejects.toMatchObject({ status: 409, code: 'builtIn' })
    const id = await newRole(['certView', 'audit'])
    const keeper = await acme.person({ permissions: ['roleEdit', 'roleView', 'certView'] })
    await expect(keeper.call(remove, { id, people: 0 })).rejects.toMatchObject({ status: 403, code: 'beyond' })
    const reader = await acme.person({ permissions: ['roleView', 'certView'] })
    await expect(reader.call(remove, { id: await newRole(), people: 0 })).rejects.toMatchObject({ status: 403, code: 'denied' })
  })

  test('was named nowhere else: what names it is counted, each with the way there', async () => {
    const id = await newRole()
    const person = await acme.person({ permissions: [] })
    const { id: place } = await grace.call(organisations.calls.add, { name: 'Depot' })
    await grace.call(organisations.calls.setPermission, { id: place, userId: person.id, roleId: id, given: true })
    await grace.call(registration.calls.changeSettings, { mode: 'approval', roleIds: [id] })
    const { blocks, counts } = await grace.call(dependants, { id })
    expect([blocks, counts.map(({ kind, count }) => [kind, count])]).toEqual([
      true,
      [
        ['Given in parts of the organisations', 1],
        ['Given at registration', 1],
      ],
    ])
    await expect(grace.call(remove, { id, people: 0 })).rejects.toMatchObject({ status: 409, code: 'dependants' })
    await grace.call(organisations.calls.setPermission, { id: place, userId: person.id, roleId: id, given: false })
    await grace.call(registration.calls.changeSettings, { mode: 'approval', roleIds: [] })
    await grace.call(remove, { id, people: 0 })
  })
})
