import { beforeAll, describe, expect, test } from 'vitest'
import { organisations } from '#areas/organisations/contract.ts'
import { roles } from '#areas/roles/contract.ts'
import { users } from '#areas/users/contract.ts'
import { visitors } from '#areas/visitors/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type Caller } from '#core/testing/house.ts'
import { profiles } from '../contract.ts'

const house = await useHouse()
const acme = await house.tenancy('Acme')
const globex = await house.tenancy('Globex')
const ada = acme.administrator
const { merge, previewMerge, change, read } = profiles.calls
let atScreen: Caller
let count = 0

beforeAll(async () => {
  atScreen = await ada.session()
})

const person = async (more: { title?: string } = {}, by = ada): Promise<string> => {
  const username = `twin${(count += 1)}`
  return (
    await by.call(users.calls.add, { username, givenName: 'Ida', familyName: 'Rhodes', emailAddress: `${username}@example.org`, ...more })
  ).id
}

describe('Two accounts of one person', () => {
  test('become one: chosen values and memberships come over, and the other is gone, on record', async () => {
    const [id, otherId] = [await person(), await person({ title: 'Engineer' })]
    await ada.call(change, { id, values: { mobile: '0400 000 001' } })
    await ada.call(change, { id: otherId, values: { mobile: '0400 000 002', vehicleRegistration: 'ABC 123' } })
    const { id: place } = await ada.call(organisations.calls.add, { name: 'Merged depot' })
    await ada.call(organisations.calls.setOfPerson, { userId: otherId, organisationIds: [place] })
    const other = await ada.call(users.calls.read, { id: otherId })

    const preview = await ada.call(previewMerge, { id, otherId })
    expect(preview.fields.find(({ name }) => name === 'mobile')).toEqual({ name: 'mobile', keep: '0400 000 001', other: '0400 000 002' })
    expect(preview.moves).toEqual([{ kind: 'memberships', moves: 1, stays: 0 }])
    expect([preview.blocks, preview.other.username]).toEqual([[], other.username])

    await atScreen.call(merge, { id, otherId, take: ['title', 'emailAddress', 'vehicleRegistration'] })
    expect(await ada.call(users.calls.read, { id })).toMatchObject({
      title: 'Engineer',
      emailAddress: other.emailAddress,
      username: 'twin1',
    })
    const { values } = await ada.call(read, { id })
    expect([values['mobile'], values['vehicleRegistration']]).toEqual(['0400 000 001', 'ABC 123'])
    expect(await ada.call(organisations.calls.ofPerson, { userId: id })).toMatchObject([{ id: place }])
    await expect(ada.call(users.calls.read, { id: otherId })).rejects.toMatchObject({ status: 404 })
    const told = (await audited(house, acme.id)).find(({ name, about }) => name === 'merged' && about === id)
    expect([JSON.parse(told?.body ?? '{}').username, told?.actor]).toEqual([other.username, ada.username])
  })

  test('stay two where something depends on the one that goes, and nothing is half done', async () => {
    const [id, otherId] = [await person(), await person({ title: 'Clerk' })]
    const inHours = (hours: number) => new Date(house.clock.now().getTime() + hours * 3_600_000).toISOString()
    await ada.call(visitors.calls.add, { name: 'Vi Sitor', hostId: otherId, from: inHours(1), until: inHours(2) })
    expect((await ada.call(previewMerge, { id, otherId })).blocks).toEqual(['Visits: 1'])
    await expect(atScreen.call(merge, { id, otherId, take: ['title'] })).rejects.toMatchObject({ status: 409, code: 'dependants' })
    expect(await ada.call(users.calls.read, { id })).toMatchObject({ title: '' })
  })

  test('give no role over, and no administrator away', async () => {
    const id = await person()
    const strong = await acme.person({ permissions: ['audit'] })
    await atScreen.call(merge, { id, otherId: strong.id })
    expect((await ada.call(users.calls.read, { id })).roles).toEqual([])
    const second = await person()
    const { rows } = await ada.call(roles.calls.search, { text: 'Administrator' })
    const { username, givenName, familyName, emailAddress } = await ada.call(users.calls.read, { id: second })
    await ada.call(users.calls.change, { id: second, username, givenName, familyName, emailAddress, roleIds: [rows[0]?.id ?? ''] })
    await expect(atScreen.call(merge, { id, otherId: second })).rejects.toMatchObject({ status: 409, code: 'administrator' })
  })

  test('are merged by who may, who proved it, and within one tenancy', async () => {
    const [id, otherId] = [await person(), await person()]
    await expect(ada.call(merge, { id, otherId })).rejects.toMatchObject({ code: 'session_needed' })
    const looker = await acme.person({ permissions: ['userView'] })
    await expect(looker.call(previewMerge, { id, otherId })).rejects.toMatchObject({ status: 403, code: 'denied' })
    const editor = await acme.person({ permissions: ['userView', 'userEdit'] })
    const strong = await acme.person({ permissions: ['audit'] })
    await expect(editor.call(previewMerge, { id, otherId: strong.id })).rejects.toMatchObject({ status: 403, code: 'beyond' })
    await expect(atScreen.call(merge, { id, otherId: ada.id })).rejects.toMatchObject({ code: 'yourself' })
    await expect(atScreen.call(merge, { id, otherId: id })).rejects.toMatchObject({ code: 'same' })
    await expect(atScreen.call(merge, { id, otherId, take: ['username'] })).rejects.toMatchObject({ fields: [{ field: 'take' }] })
    const theirs = await person({}, globex.administrator)
    for (const gone of [theirs, crypto.randomUUID()]) {
      await expect(atScreen.call(merge, { id, otherId: gone })).rejects.toMatchObject({ status: 404, code: 'missing' })
      await expect(atScreen.call(previewMerge, { id: gone, otherId: id })).rejects.toMatchObject({ status: 404, code: 'missing' })
    }
  })
})
