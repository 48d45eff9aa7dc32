import { beforeAll, describe, expect, test } from 'vitest'
import { users } from '#areas/users/contract.ts'
import { audited } from '#core/testing/events.ts'
import { useHouse, type TestPerson, type TestTenancy } from '#core/testing/house.ts'
import { sponsors } from '../contract.ts'

const house = await useHouse()
let acme: TestTenancy
let ada: TestPerson
let stranger: TestPerson
const { search, read, add, change, remove, people, ofPerson, setOfPerson, handOver } = sponsors.calls
const day = 86_400_000

beforeAll(async () => {
  acme = await house.tenancy('Acme')
  ada = acme.administrator
  stranger = (await house.tenancy('Globex')).administrator
})

const inDays = (days: number): string => new Date(house.clock.now().getTime() + days * day).toISOString()
const somebody = (familyName: string) => acme.person({ permissions: [], familyName })
async function sponsor(familyName: string, terms: { most?: number; from?: string; until?: string } = {}) {
  const person = await somebody(familyName)
  const { id } = await ada.call(add, { userId: person.id, from: inDays(-1), ...terms })
  return { id, person }
}

describe('A sponsor', () => {
  test('is added, found by name, changed and deleted, each of it on record', async () => {
    const { id, person } = await sponsor('Hostetler', { until: inDays(10) })
    expect((await ada.call(search, { text: 'hostet', state: 'ending' })).rows).toMatchObject([
      { id, person: { id: person.id, name: 'Ada Hostetler' }, state: 'active', most: 10, people: 0 },
    ])
    await ada.call(change, { id, version: 1, from: inDays(-1), most: 3, passTypes: ['Guest'] })
    await expect(ada.call(change, { id, version: 1, from: inDays(-1) })).rejects.toMatchObject({ code: 'conflict' })
    expect(await ada.call(read, { id })).toMatchObject({ most: 3, passTypes: ['Guest'], version: 2 })
    await ada.call(remove, { id })
    await expect(ada.call(read, { id })).rejects.toMatchObject({ status: 404, code: 'missing' })
    const events = (await audited(house, acme.id)).filter(({ about }) => about === id)
    expect(events.map(({ name }) => name)).toEqual(['added', 'changed', 'deleted'])
  })

  test('is in the list once, and ends after it begins', async () => {
    const { person } = await sponsor('Once')
    await expect(ada.call(add, { userId: person.id, from: inDays(0) })).rejects.toMatchObject({ status: 409, code: 'sponsorAlready' })
    const other = await somebody('Backwards')
    await expect(ada.call(add, { userId: other.id, from: inDays(2), until: inDays(1) })).rejects.toMatchObject({ code: 'endsBefore' })
    await expect(ada.call(add, { userId: stranger.id, from: inDays(0) })).rejects.toMatchObject({ code: 'unknownPerson' })
  })

  test('takes as many people as it may have, though two are given at once, and none before or after its time', async () => {
    const { id } = await sponsor('Full', { most: 1 })
    const [one, two] = [await somebody('One'), await somebody('Two')]
    const outcomes = await Promise.allSettled([one, two].map(({ id: userId }) => ada.call(setOfPerson, { userId, sponsorId: id })))
    expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'given' : outcome.reason.code)).sort()).toEqual(['full', 'given'])
    for (const terms of [{ from: inDays(1) }, { from: inDays(-2), until: inDays(-1) }]) {
      const { id: sponsorId } = await sponsor(`Not now ${terms.from}`, terms)
      await expect(ada.call(setOfPerson, { userId: one.id, sponsorId })).rejects.toMatchObject({ status: 409, code: 'ended' })
    }
  })

  test('hands all people over before it is deleted, and before the account is', async () => {
    const [from, into] = [await sponsor('Leaver'), await sponsor('Taker', { most: 2 })]
    const guests = [await somebody('Guest one'), await somebody('Guest two')]
    for (const { id: userId } of guests) await ada.call(setOfPerson, { userId, sponsorId: from.id })
    await expect(ada.call(setOfPerson, { userId: from.person.id, sponsorId: from.id })).rejects.toMatchObject({ code: 'oneself' })
    await expect(ada.call(remove, { id: from.id })).rejects.toMatchObject({ status: 409, code: 'dependants' })
    await expect(ada.call(users.calls.remove, { id: from.person.id })).rejects.toMatchObject({ status: 409, code: 'dependants' })
    await ada.call(change, { id: into.id, from: inDays(-1), most: 1 })
    await expect(ada.call(handOver, { id: from.id, toId: into.id })).rejects.toMatchObject({ status: 409, code: 'full' })
    expect((await ada.call(people, { id: from.id })).total).toBe(2)
    await ada.call(change, { id: into.id, from: inDays(-1), most: 2 })
    expect(await ada.call(handOver, { id: from.id, toId: into.id })).toEqual({ people: 2 })
    await expect(ada.call(change, { id: into.id, from: inDays(-1), most: 1 })).rejects.toMatchObject({ code: 'tooFew' })
    expect(await ada.call(ofPerson, { userId: guests[0]?.id ?? '' })).toEqual({ sponsor: { id: into.id, name: 'Ada Taker' } })
    await ada.call(users.calls.remove, { id: from.person.id })
    expect((await ada.call(search, { text: 'Leaver' })).rows).toEqual([])
    for (const { id: userId } of guests) await ada.call(users.calls.remove, { id: userId })
    expect((await ada.call(people, { id: into.id })).total).toBe(0)
  })

  test('of another tenancy answers as a missing one does', async () => {
    const { id } = await sponsor('Private')
    const missing = { status: 404, code: 'missing' }
    await expect(stranger.call(read, { id })).rejects.toMatchObject(missing)
    await expect(stranger.call(change, { id, from: inDays(0) })).rejects.toMatchObject(missing)
    await expect(stranger.call(remove, { id })).rejects.toMatchObject(missing)
    await expect(stranger.call(people, { id })).rejects.toMatchObject(missing)
    await expect(stranger.call(handOver, { id, toId: id })).rejects.toMatchObject(missing)
    await expect(stranger.call(setOfPerson, { userId: stranger.id, sponsorId: id })).rejects.toMatchObject({ code: 'unknownSponsor' })
    expect((await stranger.call(search, { text: 'Private' })).rows).toEqual([])
  })
})
