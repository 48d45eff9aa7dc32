import { beforeAll, expect, test } from 'vitest'
import { networks } from '#areas/networks/contract.ts'
import { moveTo, plantCards } from '#areas/smartcards/server/plant-cards.fixture.ts'
import { users } from '#areas/users/contract.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { useHouse, type TestPerson } from '#core/testing/house.ts'
import { facilities } from '../contract.ts'

const house = await useHouse({ background: true })
const calls = facilities.calls
let ada: TestPerson
let other: TestPerson
beforeAll(async () => {
  ada = (await house.tenancy('Acme')).administrator
  other = (await house.tenancy('Globex')).administrator
})

async function synced() {
  await ada.call(calls.sync, {})
  await expect.poll(() => ada.call(calls.state, {}), { interval: 100 }).toMatchObject({ state: 'done' })
  const { added, changed, removed, same } = await ada.call(calls.state, {})
  return [added, changed, removed, same]
}

test('The directory holds the card serial numbers of the tenancy after a sync, and a second one changes nothing', async () => {
  const serials = Array.from({ length: 600 }, (_, at) => `CSN-${String(at).padStart(4, '0')}`)
  await withTenancy(house.house, ada.tenantId, (tenancy) => plantCards(tenancy, serials, ada.id))
  expect((await ada.call(calls.state, {})).state).toBe('never')
  expect(await synced()).toEqual([600, 0, 0, 0])
  expect(await synced()).toEqual([0, 0, 0, 600])
  const { rows, total } = await ada.call(calls.search, { text: 'csn-0007' })
  expect(total).toBe(1)
  expect(rows).toMatchObject([{ csn: 'CSN-0007', inStep: true, location: '', holderId: ada.id }])
  expect((await other.call(calls.search, {})).total).toBe(0)

  // What a person says of its place stays; what the card says is written, and what is gone is removed.
  const { id: locationId } = await ada.call(networks.calls.addLocation, { name: 'Head office', kind: 'building', parentId: '' })
  await ada.call(calls.place, { csn: 'CSN-0007', locationId })
  await expect(ada.call(calls.place, { csn: 'CSN-0007', locationId: crypto.randomUUID() })).rejects.toMatchObject({ code: 'unknownLocation' }) // prettier-ignore
  await expect(other.call(calls.place, { csn: 'CSN-0007', locationId: '' })).rejects.toMatchObject({ status: 404 })
  await withTenancy(house.house, ada.tenantId, async (tenancy) => {
    await moveTo(tenancy, 'CSN-0007', 'ISSUED')
    await moveTo(tenancy, 'CSN-0008', 'UNREGISTERED')
  })
  expect((await ada.call(calls.search, { locationId })).rows).toMatchObject([{ csn: 'CSN-0007', inStep: false, location: 'Head office' }])
  expect(await synced()).toEqual([0, 1, 1, 598])
  expect((await ada.call(calls.search, { locationId })).rows).toMatchObject([{ csn: 'CSN-0007', inStep: true, location: 'Head office' }])
  expect((await ada.call(calls.search, {})).total).toBe(599)
})

test('Nobody reads the name of a person there whose account is deleted, before any sync', async () => {
  const acme = await house.tenancy('Initech')
  const bob = await acme.person({ permissions: [], familyName: 'Forgotten' })
  await withTenancy(house.house, acme.id, (tenancy) => plantCards(tenancy, ['CSN-B'], bob.id))
  await acme.administrator.call(calls.sync, {})
  await expect.poll(() => acme.administrator.call(calls.state, {}), { interval: 100 }).toMatchObject({ state: 'done' })
  expect((await acme.administrator.call(calls.search, { text: 'forgotten' })).rows).toMatchObject([{ csn: 'CSN-B', holderId: bob.id }])
  await acme.administrator.call(users.calls.remove, { id: bob.id })
  expect((await acme.administrator.call(calls.search, { text: 'forgotten' })).rows).toEqual([])
  const [row] = (await acme.administrator.call(calls.search, { text: 'CSN-B' })).rows
  expect(row).toMatchObject({ holder: '', holderId: '' })
})
