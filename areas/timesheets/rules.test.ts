import { expect, test } from 'vitest'
import { momentOf, wallTime } from '#core/contract/wall-time.ts'
import {
  daysOf,
  firstOverlap,
  hoursText,
  isMonday,
  minutesOf,
  mondayOf,
  readTime,
  rounded,
  spanOf,
  stateAfter,
  weekAfter,
} from './rules.ts'

test('A week begins on its Monday, over the end of a year as well', () => {
  expect(mondayOf('2027-01-03')).toBe('2026-12-28')
  expect(mondayOf('2026-11-23')).toBe('2026-11-23')
  expect(isMonday('2026-11-24')).toBe(false)
  expect(weekAfter('2026-12-28', -1)).toBe('2026-12-21')
  expect(daysOf('2026-12-28').at(-1)).toBe('2027-01-03')
})

test('A time of day is the moment at which a clock of the zone shows it, whatever the night does with clocks', () => {
  const at = (day: string, time: string, zone: string) => momentOf({ day, time }, zone).toISOString()
  expect(at('2026-06-30', '08:00', 'Europe/Berlin')).toBe('2026-06-30T06:00:00.000Z')
  expect(at('2026-10-25', '02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z')
  expect(at('2026-03-29', '02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
  expect(at('2026-09-27', '03:00', 'Pacific/Auckland')).toBe('2026-09-26T14:00:00.000Z')
  expect(wallTime(new Date('2026-09-26T14:00:00Z'), 'Pacific/Auckland')).toEqual({ day: '2026-09-27', time: '03:00' })
})

test('A night shift is as long as it was: an hour more or less where clocks change', () => {
  const minutes = (day: string) => minutesOf(spanOf({ day, from: '22:00', to: '06:00' }, 'Europe/Berlin'), 30)
  expect(minutes('2026-11-22')).toBe(450)
  expect(minutes('2026-10-24')).toBe(510)
  expect(minutes('2026-03-28')).toBe(390)
})

test('What touches does not overlap, and an entry does not overlap itself', () => {
  const span = (from: string, to: string) => spanOf({ day: '2026-11-23', from, to }, 'UTC')
  expect(firstOverlap([span('08:00', '12:32'), span('12:32', '17:00')])).toBeUndefined()
  expect(firstOverlap([span('13:00', '17:00'), span('08:00', '13:01')])).toEqual([1, 0])
  expect(firstOverlap([span('08:00', '12:00')])).toBeUndefined()
})

test('What is approved is changed only after it was returned', () => {
  expect(stateAfter('approved', 'submit')).toBeUndefined()
  expect(stateAfter('submitted', 'approve')).toBe('approved')
  expect(stateAfter('exported', 'return')).toBe('returned')
})

test('Minutes are whole, are rounded to the nearest multiple, and shown as hours', () => {
  expect([7, 8, 22, 23].map((minutes) => rounded(minutes, 15))).toEqual([0, 15, 15, 30])
  expect(hoursText(455)).toBe('7:35')
  expect(['8', '830', '8:30', '16.05', 'noon'].map(readTime)).toEqual(['08:00', '08:30', '08:30', '16:05', 'noon'])
})
