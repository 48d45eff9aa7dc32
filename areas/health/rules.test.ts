import { describe, expect, test } from 'vitest'
import { endOfValidity } from '#areas/templates/rules.ts'
import { findingText, fitsUntil, lifeFinding, lifeMarks, listsFinding, newsOf, signerFinding, stateOf, worstState } from './rules.ts'

const day = 86_400_000
const at = (text: string) => new Date(text)
const now = at('2026-11-21T12:00:00Z')
const before = (milliseconds: number) => new Date(now.getTime() - milliseconds)
const after = (milliseconds: number) => new Date(now.getTime() + milliseconds)

describe('A revocation list', () => {
  const hour = 3_600_000
  const listed = (age: number, options = { uploaded: false }) =>
    listsFinding([{ name: 'whole list', list: { thisUpdate: before(age), nextUpdate: after(48 * hour - age) } }], {
      since: before(90 * day),
      now,
      ...options,
    }).name
  test.each<[number, string]>([
    [0, 'fine'],
    [24 * hour, 'fine'],
    [24 * hour + 16 * 60_000, 'listOverdue'],
    [39 * hour, 'listEnding'],
    [48 * hour, 'listEnded'],
  ])('of %d ms is %s', (age, finding) => expect(listed(age)).toBe(finding))
  test('that lives for a year is overdue a day after it was made, as lists are made once a day', () => {
    const yearly = (age: number) =>
      listsFinding([{ name: 'whole list', list: { thisUpdate: before(age), nextUpdate: after(365 * day - age) } }], {
        since: before(90 * day),
        uploaded: false,
        now,
      }).name
    expect([yearly(day), yearly(day + 16 * 60_000), yearly(180 * day)]).toEqual(['fine', 'listOverdue', 'listOverdue'])
  })
  test('that is made by hand is not overdue, and ends like any other', () => {
    expect([listed(30 * hour, { uploaded: true }), listed(39 * hour, { uploaded: true })]).toEqual(['fine', 'listEnding'])
  })
  test('that is missing is missed when the authority is older than a quarter of an hour', () => {
    const missing = (since: Date) => listsFinding([{ name: 'delta list', list: undefined }], { since, uploaded: false, now })
    expect(missing(before(10 * 60_000)).name).toBe('fine')
    expect(findingText(missing(before(day)))).toBe('There is no revocation list yet: delta list. Look at the key of the authority')
  })
  test('that somebody has yet to bring is missed at once, for none is on its way', () => {
    expect(listsFinding([{ name: 'whole list', list: undefined }], { since: now, uploaded: true, now })).toEqual({
      name: 'listNotBrought',
      params: {},
    })
  })
  test('that has ended is told before one that is only late', () => {
    const lists = [
      { name: 'a', list: undefined },
      { name: 'b', list: { thisUpdate: before(2 * day), nextUpdate: before(1) } },
    ]
    expect(listsFinding(lists, { since: before(day), uploaded: false, now })).toMatchObject({ name: 'listEnded', params: { list: 'b' } })
  })
})

describe('An authority warns of its end', () => {
  const lived = (years: number) => ({
    notBefore: at('2020-01-01T00:00:00Z'),
    notAfter: new Date(at('2020-01-01T00:00:00Z').getTime() + years * 365 * day),
  })
  test('180, 90, 30 and 7 days before, and in proportion where it lives shorter than two years', () => {
    expect(lifeMarks(lived(10))).toEqual([180, 90, 30, 7])
    expect(lifeMarks(lived(1))).toEqual([90, 45, 15, 4])
  })
  test.each<[number, string, number | undefined]>([
    [181, 'fine', undefined],
    [180, 'lifeEnding', 180],
    [60, 'lifeEnding', 90],
    [30, 'lifeNearEnd', 30],
    [1, 'lifeNearEnd', 7],
    [-1, 'lifeEnded', 0],
  ])('%d days before: %s', (days, name, mark) => {
    const life = lived(10)
    expect(lifeFinding(life, new Date(life.notAfter.getTime() - days * day))).toMatchObject({
      name,
      ...(mark === undefined ? {} : { mark }),
    })
  })
})

describe('People are told', () => {
  test('of what gets worse, of each further step, and when all is well again; never twice of the same', () => {
    const told = (state: 'ok' | 'late' | 'failing', mark?: number) => ({ state, mark })
    expect(newsOf(told('ok'), told('late'))).toBe('worse')
    expect(newsOf(told('late'), told('late'))).toBeUndefined()
    expect(newsOf(told('late'), told('failing'))).toBe('worse')
    expect(newsOf(told('failing'), told('late'))).toBeUndefined()
    expect(newsOf(told('failing'), told('ok'))).toBe('well')
    expect(newsOf(told('late', 180), told('late', 90))).toBe('worse')
    expect(newsOf(told('late', 90), told('late', 90))).toBeUndefined()
  })
})

test('A signer is missed where one is wanted, and late only near its end', () => {
  const signer = (left: number) => ({ notBefore: after(left - 30 * day), notAfter: after(left) })
  const found = (left: number | undefined, due = true) => signerFinding(left === undefined ? undefined : signer(left), { due, now }).name
  expect([found(undefined), found(undefined, false), found(9 * day), found(4 * day)]).toEqual([
    'signerMissing',
    'fine',
    'fine',
    'signerEnding',
  ])
})

test('The worst state counts, and nothing is in order', () => {
  expect([worstState(['ok', 'failing', 'late']), worstState([]), stateOf({ name: 'ocspWrong' })]).toEqual(['failing', 'ok', 'failing'])
})

test.each<[number, 'DAYS' | 'MONTHS' | 'YEARS', string]>([
  [1, 'YEARS', '2027-03-03T00:00:00Z'],
  [90, 'DAYS', '2027-12-04T00:00:00Z'],
])('What lives %d %s fits before the end until a moment that is found to the second', (period, unit, last) => {
  const end = at('2028-03-02T23:59:59Z')
  const endOf = (from: Date) => endOfValidity(from, period, unit)
  const found = fitsUntil(endOf, end, now) ?? now
  expect(Math.abs(found.getTime() - at(last).getTime())).toBeLessThan(1001)
  expect(endOf(found) <= end).toBe(true)
  expect(fitsUntil(endOf, after(3_600_000), now)).toBeUndefined()
})
