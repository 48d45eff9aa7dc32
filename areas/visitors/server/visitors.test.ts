import { beforeAll, expect, test } from 'vitest'
import { mail } from '#areas/mail/contract.ts'
import { users } from '#areas/users/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { visitors } from '../contract.ts'

const house = await useHouse()
const { search, read, add, arrive, leave, extend, cancel } = visitors.calls
const hour = 3_600_000
let acme: TestTenancy
let ada: TestPerson

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = acme.administrator
})

const inHours = (hours: number) => new Date(house.clock.now().getTime() + hours * hour).toISOString()
const plan = async (more: object = {}) =>
  (await ada.call(add, { name: 'Charles Babbage', company: 'Engines', hostId: ada.id, from: inHours(1), until: inHours(5), ...more })).id
const stateOf = async (id: string) => (await ada.call(read, { id })).state

test('A visitor is expected, arrives with a pass, stays longer and leaves, each of it on record', async () => {
  const id = await plan({ purpose: 'A difference engine' })
  expect(await ada.call(read, { id })).toMatchObject({ state: 'planned', host: { id: ada.id }, purpose: 'A difference engine' })
  await ada.call(arrive, { id, passNumber: 'V-17' })
  await expect(ada.call(arrive, { id })).rejects.toMatchObject({ status: 409, code: 'notExpected' })
  await expect(ada.call(cancel, { id })).rejects.toMatchObject({ status: 409, code: 'begun' })
  const until = inHours(8)
  await ada.call(extend, { id, until })
  expect(await ada.call(read, { id })).toMatchObject({ state: 'arrived', passNumber: 'V-17', until })
  await ada.call(leave, { id })
  await expect(ada.call(leave, { id })).rejects.toMatchObject({ status: 409, code: 'notHere' })
  await expect(ada.call(extend, { id, until: inHours(9) })).rejects.toMatchObject({ status: 409, code: 'over' })
  expect(await stateOf(id)).toBe('left')
  const names = (await audited(house, acme.id)).filter(({ area, about }) => area === 'visitors' && about === id).map(({ name }) => name)
  expect(names).toEqual(['planned', 'arrived', 'extended', 'left'])
})

test('Who does not come is told by the list, and who does not leave by mail to the host, once', async () => {
  const [absent, staying, cancelled] = [
    await plan({ name: 'Nobody Came' }),
    await plan({ name: 'Stays On' }),
    await plan({ name: 'Called Off' }),
  ]
  await ada.call(arrive, { id: staying })
  await ada.call(cancel, { id: cancelled })
  house.clock.advance(6 * hour)
  expect([await stateOf(absent), await stateOf(staying), await stateOf(cancelled)]).toEqual(['noShow', 'overstayed', 'cancelled'])
  for (const [state, id] of [
    ['noShow', absent],
    ['overstayed', staying],
    ['cancelled', cancelled],
  ] as const)
    expect((await ada.call(search, { state })).rows.map((row) => row.id)).toEqual([id])
  expect((await ada.call(search, { text: 'stays' })).total).toBe(1)
  await house.runJob(visitors.jobs.overstays)
  await house.runJob(visitors.jobs.overstays)
  const mails = (await ada.call(mail.calls.outbox, { size: 100 })).rows.filter(({ subject }) => subject === 'Your visitor has not left')
  expect(mails).toHaveLength(1)
})

test('A visit has an end in the future, after its beginning, within a month, and a host who is here', async () => {
  await expect(plan({ until: inHours(0.5) })).rejects.toMatchObject({ code: 'endsBefore' })
  await expect(plan({ from: inHours(-5), until: inHours(-1) })).rejects.toMatchObject({ code: 'past' })
  await expect(plan({ until: inHours(24 * 40) })).rejects.toMatchObject({ code: 'tooLong' })
  await expect(plan({ hostId: crypto.randomUUID() })).rejects.toMatchObject({ code: 'unknownHost' })
})

test('A host with visitors is not deleted, and names of visitors are forgotten after a year', async () => {
  const host = await acme.person({ permissions: [] })
  const id = await plan({ hostId: host.id })
  await expect(ada.call(users.calls.remove, { id: host.id })).rejects.toMatchObject({ code: 'dependants' })
  await ada.call(arrive, { id })
  await ada.call(leave, { id })
  await ada.call(users.calls.remove, { id: host.id })
  house.clock.advance(367 * 24 * hour)
  await house.runJob(visitors.jobs.overstays)
  await expect(ada.call(read, { id })).rejects.toMatchObject({ status: 404 })
})
