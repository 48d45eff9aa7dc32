// Days and times as the person writes them, in the order of the person's locale: 31/03/2026 09:00 or 3/31/2026 09:00. The form's value is what a form of HTML
// has: `2026-03-31`, or `2026-03-31T09:00`.

import { preferencesStore } from '../preferences.ts'
import { formatLocale, t } from '../text.ts'

export const dateLocale = (): string => {
  const { dateLocale: own } = preferencesStore.getState()
  return own === '' ? formatLocale() : own
}

// Written in digits and a calendar that can be read again, whatever else the locale writes with.
const formatOf = (locale: string) =>
  new Intl.DateTimeFormat(locale, {
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    calendar: 'gregory',
    numberingSystem: 'latn',
    timeZone: 'UTC',
  })

const iso = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d))?/

/** What is no day is shown as it stands. */
export function writtenDay(value: string | undefined, locale: string): string {
  const [, date, time] = iso.exec(value ?? '') ?? []
  const at = new Date(date ?? '')
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== date) return value ?? ''
  const written = formatOf(locale).format(at)
  return time === undefined ? written : `${written} ${time}`
}

/** A fault with its example of a day as the person types one. */
export const withTypedDays = (text: string, locale = dateLocale()): string =>
  text.replaceAll(/\b\d{4}-\d\d-\d\d\b/g, (day) => writtenDay(day, locale))

type Part = 'year' | 'month' | 'day'
const isPart = (type: string): type is Part => type === 'year' || type === 'month' || type === 'day'

const orderOf = (locale: string): Part[] =>
  formatOf(locale)
    .formatToParts(0)
    .flatMap(({ type }) => (isPart(type) ? [type] : []))

/** "dd/mm/yyyy", as the locale has it, in the letters of the language that the console speaks. */
export const dayPattern = (locale: string, withTime: boolean): string =>
  formatOf(locale)
    .formatToParts(0)
    .map(({ type, value }) => (isPart(type) ? { year: t('yyyy'), month: t('mm'), day: t('dd') }[type] : value))
    .join('') + (withTime ? ` ${t('hh:mm')}` : '')

/** Undefined for nothing; what cannot be read comes back as it was typed, for the call's shape to refuse. */
export function readDay(typed: string, locale: string, withTime: boolean): string | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  const numbers = text.match(/\d+/g) ?? []
  const order = /^\d{4}\D/.test(text) ? (['year', 'month', 'day'] as const) : orderOf(locale)
  const found: Record<Part, number> = { year: Number.NaN, month: Number.NaN, day: Number.NaN }
  order.forEach((part, at) => (found[part] = Number(numbers[at] ?? Number.NaN)))
  const { month, day } = found
  const year = found.year < 100 ? found.year + 2000 : found.year
  const at = new Date(Date.UTC(year, month - 1, day))
  const stands = at.getUTCFullYear() === year && at.getUTCMonth() === month - 1 && at.getUTCDate() === day && year >= 1000
  const [hours = 0, minutes = 0] = numbers.slice(3).map(Number)
  const half = /([ap])\.?\s?m/i.exec(text)?.[1]?.toLowerCase()
  const hour = half === undefined ? hours : (hours % 12) + (half === 'p' ? 12 : 0)
  if (!stands || numbers.length > 5 || (!withTime && numbers.length > 3) || hours > 23 || minutes > 59) return text
  const date = at.toISOString().slice(0, 10)
  return withTime ? `${date}T${two(hour)}:${two(minutes)}` : date
}

const two = (number: number): string => String(number).padStart(2, '0')
