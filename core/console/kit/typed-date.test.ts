import { expect, test } from 'vitest'
import { dayPattern, readDay, writtenDay } from './typed-date.ts'

const locales = ['en-GB', 'en-US', 'de-DE', 'fr-FR', 'es-ES', 'ja-JP', 'sv-SE', 'fa-IR', 'ar-EG', 'th-TH'] as const

test.each(locales)('a day and a time that are written in %s are read again', (locale) => {
  for (const day of ['2026-03-31', '2026-12-01', '2024-02-29']) expect(readDay(writtenDay(day, locale), locale, false)).toBe(day)
  expect(readDay(writtenDay('2026-03-31T09:05', locale), locale, true)).toBe('2026-03-31T09:05')
})

test('the order is the locale’s, and an ISO date is one everywhere', () => {
  expect(readDay('3/4/2026', 'en-GB', false)).toBe('2026-04-03')
  expect(readDay('3/4/2026', 'en-US', false)).toBe('2026-03-04')
  expect(readDay('3.4.26', 'de-DE', false)).toBe('2026-04-03')
  expect(readDay('2026-04-03', 'en-US', false)).toBe('2026-04-03')
  expect([dayPattern('en-GB', false), dayPattern('en-US', true), dayPattern('de-DE', false)]).toEqual([
    'dd/mm/yyyy',
    'mm/dd/yyyy hh:mm',
    'dd.mm.yyyy',
  ])
})

test('a time may be left out or stand in twelve hours', () => {
  expect(readDay('31/03/2026', 'en-GB', true)).toBe('2026-03-31T00:00')
  expect(readDay('3/31/2026 1:30 pm', 'en-US', true)).toBe('2026-03-31T13:30')
  expect(readDay('3/31/2026 12:30 am', 'en-US', true)).toBe('2026-03-31T00:30')
})

test.each(['31/02/2026', '2026-13-01', 'soon', '31/03', '31/03/2026 25:00', '1/2/3/4/5/6'])(
  '%s is no day, and stays as it was typed',
  (typed) => {
    expect(readDay(typed, 'en-GB', true)).toBe(typed)
    expect(writtenDay(typed, 'en-GB')).toBe(typed)
  },
)

test('nothing is nothing', () => {
  expect([readDay(' ', 'en-GB', false), writtenDay(undefined, 'en-GB')]).toEqual([undefined, ''])
})
