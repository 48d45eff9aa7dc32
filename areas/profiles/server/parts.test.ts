// Who has `userView` in a part of the organisations, and nowhere else.

import { beforeAll, describe, expect, test } from 'vitest'
import { organisations } from '#areas/organisations/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import { to } from '#core/contract/paths.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { profiles } from '../contract.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const ada = acme.administrator
const invented = '018f0000-0000-7000-8000-000000000001'
let officer: TestPerson
let inside: TestPerson
let outside: TestPerson
let region: string
let elsewhere: string

beforeAll(async () => {
  region = (await ada.call(organisations.calls.add, { name: 'Region' })).id
  elsewhere = (await ada.call(organisations.calls.add, { name: 'Elsewhere' })).id
  const { id: desk } = await ada.call(organisations.calls.add, { name: 'Desk', parentId: region })
  officer = await acme.person({ permissions: ['search'] })
  inside = await acme.person({ permissions: [], givenName: 'Ines', familyName: 'Inner' })
  outside = await acme.person({ permissions: [], givenName: 'Otto', familyName: 'Outer' })
  await ada.call(organisations.calls.setOfPerson, { userId: inside.id, organisationIds: [desk] })
  await ada.call(organisations.calls.setOfPerson, { userId: outside.id, organisationIds: [elsewhere] })
  const names = ['orgView', 'orgTree', 'userView', 'userEdit']
  const { id: roleId } = await ada.call(roles.calls.add, { name: 'Officer', view: names, menu: names, api: names })
  await ada.call(organisations.calls.setPermission, { id: region, userId: officer.id, roleId, given: true })
  for (const { id } of [inside, outside]) await ada.call(profiles.calls.change, { id, values: { mobile: '0400 000 001' } })
})

describe('An officer of a part', () => {
  test('opens the people of it, with the groups that the role reads', async () => {
    expect(await officer.call(users.calls.read, { id: inside.id })).toMatchObject({ familyName: 'Inner', mayEdit: false })
    const { values, sealed, writable } = await officer.call(profiles.calls.read, { id: inside.id })
    expect([values['mobile'], sealed, writable]).toEqual(['0400 000 001', [], []])
    const medical = { userId: inside.id, group: 'medical', purpose: 'To look' } as const
    await expect(officer.call(profiles.calls.reveal, medical)).rejects.toMatchObject({ status: 403 })
  })

  test('opens nobody else: who is of another part is as missing as nobody', async () => {
    for (const id of [outside.id, ada.id, invented]) {
      await expect(officer.call(users.calls.read, { id })).rejects.toMatchObject({ status: 404, code: 'missing' })
      await expect(officer.call(profiles.calls.read, { id })).rejects.toMatchObject({ status: 404, code: 'missing' })
      await expect(officer.call(profiles.calls.reveal, { userId: id, group: 'medical', purpose: 'To look' })).rejects.toMatchObject({
        status: 404,
        code: 'missing',
      })
      expect((await officer.fetch(`${to(profiles.endpoints.photo)}?id=${id}`)).status).toBe(404)
    }
    const stranger = await acme.person({ permissions: [] })
    await expect(stranger.call(users.calls.read, { id: inside.id })).rejects.toMatchObject({ status: 403, code: 'denied' })
  })

  test('is told nothing by a list, its count, its order, a filter or a file', async () => {
    for (const asked of [
      {},
      { text: 'Outer' },
      { sort: 'emailAddress' },
      { status: 'active' },
      { attributes: { mobile: '0400' } },
    ] as const)
      await expect(officer.call(users.calls.search, asked)).rejects.toMatchObject({ status: 403, code: 'denied' })
    expect((await officer.fetch(to(users.endpoints.export))).status).toBe(403)
    const { people } = organisations.calls
    const found = async (text: string) => {
      const { rows, total } = await officer.call(people, { id: region, below: true, text })
      return [rows.map(({ id }) => id), total]
    }
    expect([await found(''), await found('Outer'), await found('Inner')]).toEqual([
      [[inside.id], 1],
      [[], 0],
      [[inside.id], 1],
    ])
    await expect(officer.call(people, { id: elsewhere })).rejects.toMatchObject({ status: 404, code: 'missing' })
  })

  test('changes nobody, and no longer sees who has left the part', async () => {
    const { username, givenName, familyName, emailAddress } = await officer.call(users.calls.read, { id: inside.id })
    await expect(
      officer.call(users.calls.change, { id: inside.id, username, givenName, familyName: `${familyName}s`, emailAddress }),
    ).rejects.toMatchObject({ status: 403, code: 'denied' })
    await expect(officer.call(profiles.calls.change, { id: inside.id, values: { mobile: '1' } })).rejects.toMatchObject({ status: 403 })
    await ada.call(organisations.calls.setOfPerson, { userId: inside.id, organisationIds: [elsewhere] })
    await expect(officer.call(users.calls.read, { id: inside.id })).rejects.toMatchObject({ status: 404, code: 'missing' })
  })
})
