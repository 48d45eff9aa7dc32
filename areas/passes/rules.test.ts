import { describe, expect, test } from 'vitest'
import { dayIn, endOfDay, passNumberOf, startOfDay } from './rules.ts'

test.each([
  ['42', '00042'],
  [' 7 ', '00007'],
  ['12345', '12345'],
])('the pass number %j is written %s', (typed, number) => expect(passNumberOf(typed)).toBe(number))

describe('A day of a pass', () => {
  test.each([
    ['UTC', '2026-11-23', '2026-11-23T00:00:00.000Z', '2026-11-23T23:59:59.000Z'],
    ['Europe/London', '2026-07-01', '2026-06-30T23:00:00.000Z', '2026-07-01T22:59:59.000Z'],
    ['Australia/Sydney', '2026-11-23', '2026-11-22T13:00:00.000Z', '2026-11-23T12:59:59.000Z'],
    ['Pacific/Kiritimati', '2026-11-23', '2026-11-22T10:00:00.000Z', '2026-11-23T09:59:59.000Z'],
    // The night in which clocks go back has 25 hours, that in which they go forward 23.
    ['Europe/London', '2026-10-25', '2026-10-24T23:00:00.000Z', '2026-10-25T23:59:59.000Z'],
    ['Europe/London', '2026-03-29', '2026-03-29T00:00:00.000Z', '2026-03-29T22:59:59.000Z'],
    // Clocks go forward at midnight: the day begins at one.
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z', '2026-04-24T20:59:59.000Z'],
  ])('of %s, %s, lasts from %s to %s', (zone, day, from, until) => {
    expect(startOfDay(day, zone).toISOString()).toBe(from)
    expect(endOfDay(day, zone).toISOString()).toBe(until)
    expect(dayIn(new Date(from), zone)).toBe(day)
    expect(dayIn(new Date(until), zone)).toBe(day)
  })
})
