import { afterAll, beforeAll, expect, test } from 'vitest'
import { smartcards } from '#areas/smartcards/contract.ts'
import { inReader, newCard, openDesk, type DeskFixture } from '#areas/smartcards/server/desk.fixture.ts'
import { audited } from '#core/testing/events.ts'
import { refusal, type TestPerson } from '#core/testing/house.ts'
import { stock } from '../contract.ts'

let desk: DeskFixture
let clerk: TestPerson
let stranger: TestPerson
const { search, takeIn, takeOut, move, places, addPlace, changePlace, removePlace, count, counts } = stock.calls

beforeAll(async () => {
  desk = await openDesk({ background: true })
  clerk = desk.desk
  stranger = (await desk.house.tenancy('Globex')).administrator
})
afterAll(() => desk.close())

let number = 0
const newPlace = async () => (await clerk.call(addPlace, { name: `Safe ${(number += 1)}`, custodianId: desk.holder.id })).id
const rangesOf = async (placeId: string) =>
  (await clerk.call(search, { placeId })).rows.map(({ first, last, count: cards, state }) => [first, last, cards, state])

test('cards are taken in by their numbers, moved, returned and destroyed, each of it on record', async () => {
  const [safe, office] = [await newPlace(), await newPlace()]
  expect(await clerk.call(takeIn, { first: 'A-0001', last: 'A-0200', placeId: safe })).toEqual({ added: 200 })
  await clerk.call(move, { first: 'A-0051', last: 'A-0060', placeId: office })
  expect(await rangesOf(safe)).toEqual([
    ['A-0001', 'A-0050', 50, 'blank'],
    ['A-0061', 'A-0200', 140, 'blank'],
  ])
  await expect(clerk.call(move, { first: 'A-0051', last: 'A-0052', placeId: office, state: 'destroyed' })).rejects.toMatchObject({
    code: 'reasonNeeded',
  })
  await clerk.call(move, { first: 'A-0051', last: 'A-0052', placeId: office, state: 'destroyed', reason: 'Bent' })
  expect(await rangesOf(office)).toEqual([
    ['A-0051', 'A-0052', 2, 'destroyed'],
    ['A-0053', 'A-0060', 8, 'blank'],
  ])
  await expect(clerk.call(move, { first: 'A-0050', last: 'A-0055', placeId: safe })).rejects.toMatchObject({ code: 'gone' })
  await expect(clerk.call(move, { first: 'A-0199', last: 'A-0201', placeId: safe })).rejects.toMatchObject({ code: 'missingCard' })
  expect((await clerk.call(search, { text: 'a-0055' })).rows).toMatchObject([{ first: 'A-0053', placeId: office }])
  expect((await clerk.call(places, {})).places.find(({ id }) => id === office)).toMatchObject({
    custodian: { id: desk.holder.id },
    blank: 8,
    returned: 0,
  })
  const rows = (await audited(desk.house, desk.pki.tenancy.id)).filter(({ area, about }) => area === 'stock' && about === office)
  expect(rows.map(({ name }) => name)).toEqual(['placeAdded', 'moved', 'moved'])
})

test('one card is taken in by its number alone; those taken in by mistake leave again, unless one of them was in use', async () => {
  const placeId = await newPlace()
  expect(await clerk.call(takeIn, { first: 'ONE-1', placeId })).toEqual({ added: 1 })
  expect(await refusal(clerk.call(takeIn, { first: 'n/a', placeId }))).toMatchObject({ code: 'noNumber', fields: [{ field: 'first' }] })
  const range = { first: 'ERR-01', last: 'ERR-20' }
  const mistake = { ...range, reason: 'The maker sent ERA' }
  await clerk.call(takeIn, { ...range, placeId })
  await clerk.call(move, { first: 'ERR-07', last: 'ERR-07', placeId, state: 'returned' })
  expect(await refusal(clerk.call(takeOut, mistake))).toMatchObject({ code: 'notBlank', message: expect.stringContaining('ERR-07') })
  await clerk.call(move, { first: 'ERR-07', last: 'ERR-07', placeId, state: 'blank' })
  expect(await clerk.call(takeOut, mistake)).toEqual({ removed: 20 })
  expect(await rangesOf(placeId)).toEqual([['ONE-1', 'ONE-1', 1, 'blank']])
  expect(await refusal(clerk.call(takeOut, mistake))).toMatchObject({ code: 'missingCard' })
  const [last] = (await audited(desk.house, desk.pki.tenancy.id)).filter(({ name }) => name === 'takenOut')
  expect(last?.about).toBe(placeId)
  expect(JSON.parse(last?.body ?? '')).toEqual({ ...mistake, count: 20 })
  // They can be taken in again.
  expect(await clerk.call(takeIn, { ...range, placeId })).toEqual({ added: 20 })
})

test('a card is in stock once, also where eight take it in at the same moment', async () => {
  const placeId = await newPlace()
  const tries = await Promise.allSettled(
    Array.from({ length: 8 }, async () => clerk.call(takeIn, { first: 'TWICE-1', last: 'TWICE-9', placeId })),
  )
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await rangesOf(placeId)).toEqual([['TWICE-1', 'TWICE-9', 9, 'blank']])
})

test('what is no range, and a place that is not there, are refused with the field', async () => {
  const placeId = await newPlace()
  for (const [first, last] of [
    ['B-9', 'B-1'],
    ['B-1', 'C-2'],
    ['B-00000', 'B-99999'],
  ] as const)
    await expect(clerk.call(takeIn, { first, last, placeId })).rejects.toMatchObject({ code: 'badRange', fields: [{ field: 'last' }] })
  await expect(clerk.call(takeIn, { first: 'B-1', last: 'B-1', placeId: clerk.id })).rejects.toMatchObject({ code: 'unknownPlace' })
  await expect(clerk.call(takeIn, { first: 'B 1', last: 'B 2', placeId })).rejects.toMatchObject({ fields: [{ field: 'first' }, {}] })
})

test('a card that is issued at the desk is issued in stock, and returned when it is unregistered', async () => {
  const placeId = await newPlace()
  const card = newCard()
  await desk.register(card)
  const { serial } = (await clerk.call(smartcards.calls.search, { size: 100, sort: 'addedAt', direction: 'desc' })).rows[0] ?? {
    serial: '',
  }
  await clerk.call(takeIn, { first: serial, last: serial, placeId })
  await desk.issue()
  await expect.poll(() => rangesOf(placeId)).toEqual([[serial, serial, 1, 'issued']])
  await expect(clerk.call(move, { first: serial, last: serial, placeId })).rejects.toMatchObject({ code: 'withPerson' })
  await clerk.call(smartcards.calls.unregister, { card_id: inReader })
  await expect.poll(() => rangesOf(placeId)).toEqual([[serial, serial, 1, 'returned']])
  // One that was destroyed stays so, whatever the desk does with its number.
  await clerk.call(move, { first: serial, last: serial, placeId, state: 'destroyed', reason: 'Cut' })
  const witness = await newPlace()
  await desk.register(card)
  await desk.issue()
  await clerk.call(smartcards.calls.unregister, { card_id: inReader })
  const other = newCard()
  await desk.register(other)
  const last = (await clerk.call(smartcards.calls.search, { size: 100, sort: 'addedAt', direction: 'desc' })).rows[0]?.serial ?? ''
  await clerk.call(takeIn, { first: last, last, placeId: witness })
  await desk.issue()
  // Events arrive in their order: when the later one is here, the earlier ones were.
  await expect.poll(() => rangesOf(witness)).toEqual([[last, last, 1, 'issued']])
  expect(await rangesOf(placeId)).toEqual([[serial, serial, 1, 'destroyed']])
})

test('a count names what is missing and what lies there though it should not, and changes nothing', async () => {
  const [safe, office] = [await newPlace(), await newPlace()]
  await clerk.call(takeIn, { first: 'K-01', last: 'K-20', placeId: safe })
  await clerk.call(move, { first: 'K-20', last: 'K-20', placeId: office })
  await clerk.call(move, { first: 'K-19', last: 'K-19', placeId: safe, state: 'destroyed', reason: 'Cut' })
  const result = await clerk.call(count, { placeId: safe, found: ['K-01..K-15', 'K-17', 'K-19', 'K-20', 'X-1'] })
  expect(result).toMatchObject({ expected: 18, found: 19, missing: 2, surplus: 3, missingSerials: ['K-16', 'K-18'] })
  expect(result.surplusSerials).toEqual([
    { serial: 'K-19', why: 'destroyed' },
    { serial: 'K-20', why: 'elsewhere' },
    { serial: 'X-1', why: 'unknown' },
  ])
  expect((await clerk.call(counts, {})).rows[0]).toMatchObject({ missing: 2, surplus: 3 })
  expect((await rangesOf(safe)).map(([first]) => first)).toEqual(['K-01', 'K-19'])
  // Ten thousand lines of ten thousand each would be the same ten thousand cards, and half a minute of work.
  await expect(clerk.call(count, { placeId: safe, found: ['K-00001..K-10000', 'K-00001..K-10000'] })).rejects.toMatchObject({
    code: 'tooMany',
  })
  for (const line of ['K-9..K-1', 'K-1..K-2..K-3', 'to be checked', 'shelf 2', '..'])
    expect(await refusal(clerk.call(count, { placeId: safe, found: ['K-01', line] }))).toMatchObject({
      code: 'badLine',
      message: expect.stringContaining(`"${line}" is no serial number and no range`),
    })
})

test('a place that cards name stays, and is of its tenancy alone', async () => {
  const placeId = await newPlace()
  await clerk.call(changePlace, { id: placeId, name: 'Corner' })
  await expect(clerk.call(addPlace, { name: 'CORNER' })).rejects.toMatchObject({ code: 'nameTaken' })
  await clerk.call(takeIn, { first: 'P-1', last: 'P-1', placeId })
  await expect(clerk.call(removePlace, { id: placeId })).rejects.toMatchObject({ code: 'inUse' })
  await expect(stranger.call(removePlace, { id: placeId })).rejects.toMatchObject({ status: 404 })
  await expect(stranger.call(takeIn, { first: 'P-2', last: 'P-2', placeId })).rejects.toMatchObject({ code: 'unknownPlace' })
  expect((await stranger.call(search, {})).rows).toEqual([])
  expect((await stranger.call(places, {})).places).toEqual([])
  const empty = await newPlace()
  await clerk.call(removePlace, { id: empty })
  await expect(clerk.call(changePlace, { id: empty, name: 'Gone' })).rejects.toMatchObject({ status: 404 })
})
