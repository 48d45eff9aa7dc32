// How long lists and OCSP answers say that they are valid, where somebody sets it.

import { afterAll, expect, test } from 'vitest'
import { audit } from '#areas/audit/contract.ts'
import { refusal } from '#core/testing/caller.ts'
import { parseCrl } from '#standards/crl/parse.ts'
import { revocation } from '../contract.ts'
import { openRevocations } from './revocation.fixture.ts'

const { publication, setPublication, makeList } = revocation.calls
const usual = { shards: 0, delta: false, deltaMinutes: 60, responderId: 'byKey' } as const
const [minute, hour] = [60_000, 3_600_000]

const { house, acme, ada, authority, issue, ask, fetchCrl, close } = await openRevocations()
afterAll(close)

const lifeOf = ({ thisUpdate, nextUpdate }: { thisUpdate: Date; nextUpdate?: Date | undefined }): number =>
  (nextUpdate?.getTime() ?? 0) - thisUpdate.getTime()
const lifeOfAnswer = (answer: Awaited<ReturnType<typeof ask>>): number =>
  'responses' in answer && answer.responses[0] !== undefined ? lifeOf(answer.responses[0]) : 0

test('Where nobody says anything a list is valid for two days and an answer for an hour, and the authority’s page says so', async () => {
  const ca = await authority()
  const { serial } = await issue(ca)
  await ada.call(makeList, { caId: ca.caId })
  expect(lifeOf(parseCrl(await fetchCrl(ca)))).toBe(48 * hour)
  expect(lifeOfAnswer(await ask(ca, serial))).toBe(hour)
  expect((await ada.call(publication, { caId: ca.caId })).settings).toMatchObject({ listHours: 48, answerMinutes: 60 })
})

test('What is set counts at once: a new list is made that says it, and answers say it, too', async () => {
  const ca = await authority()
  const { serial } = await issue(ca)
  await ada.call(makeList, { caId: ca.caId })
  expect(lifeOfAnswer(await ask(ca, serial))).toBe(hour)
  await ada.call(setPublication, { ...usual, caId: ca.caId, listHours: 168, answerMinutes: 720 })
  expect((await ada.call(publication, { caId: ca.caId })).settings).toMatchObject({ listHours: 168, answerMinutes: 720 })
  await house.runJob(revocation.jobs.lists)
  expect(lifeOf(parseCrl(await fetchCrl(ca)))).toBe(168 * hour)
  await expect.poll(async () => lifeOfAnswer(await ask(ca, serial))).toBe(720 * minute)
  // Who says nothing of it leaves it as it is.
  await ada.call(setPublication, { ...usual, caId: ca.caId })
  expect((await ada.call(publication, { caId: ca.caId })).settings).toMatchObject({ listHours: 168, answerMinutes: 720 })
  const { rows } = await acme.administrator.call(audit.calls.search, { about: ca.caId, size: 100 })
  const told = rows.find(({ area, name }) => area === 'revocation' && name === 'publicationSet')
  expect(told).toBeDefined()
})

test('A list of a short life is made anew when half of that is over, and one of a long life once a day all the same', async () => {
  const [short, long] = [await authority(), await authority()]
  await ada.call(setPublication, { ...usual, caId: short.caId, listHours: 4 })
  await ada.call(setPublication, { ...usual, caId: long.caId, listHours: 8760 })
  const numbers = async () => {
    await house.runJob(revocation.jobs.lists)
    return Promise.all([short, long].map(async (ca) => (await ada.call(publication, { caId: ca.caId })).lists[0]?.number))
  }
  const first = await numbers()
  house.clock.advance(2 * hour)
  const second = await numbers()
  expect([second[0] === first[0], second[1] === first[1]]).toEqual([false, true])
  house.clock.advance(22 * hour)
  expect((await numbers())[1]).not.toBe(second[1])
})

test('There are limits, and it takes who manages authorities', async () => {
  const { caId } = await authority()
  for (const [field, value] of [
    ['listHours', 3],
    ['listHours', 8761],
    ['listHours', 12.5],
    ['answerMinutes', 9],
    ['answerMinutes', 10_081],
  ] as const)
    expect(await refusal(ada.call(setPublication, { ...usual, caId, [field]: value }))).toMatchObject({ status: 400, fields: [{ field }] })
  const clerk = await acme.person({ permissions: ['certRevokeView'], username: 'clerk' })
  expect((await refusal(clerk.call(setPublication, { ...usual, caId, listHours: 24 }))).status).toBe(403)
})
