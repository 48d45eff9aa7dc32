// Days and weeks in the person's own way of writing. A day of a timesheet is one in the tenancy's zone, wherever it is read.

import { formatLocale, formatter, t } from '#core/console/text.ts'
import { weekAfter } from '../rules.ts'

const written = (day: string, options: Intl.DateTimeFormatOptions): string => {
  const locale = formatLocale()
  const style = { ...options, timeZone: 'UTC' }
  return formatter(`day ${locale} ${JSON.stringify(style)}`, () => new Intl.DateTimeFormat(locale, style)).format(
    new Date(`${day}T00:00:00Z`),
  )
}

/** "Mon 23 Nov". */
export const dayWord = (day: string): string => written(day, { weekday: 'short', day: 'numeric', month: 'short' })

/** "23 Nov 2026". */
export const dateWord = (day: string): string => written(day, { day: 'numeric', month: 'short', year: 'numeric' })

export const weekWords = (week: string): string => t('{first} to {last}', { first: dateWord(week), last: dateWord(lastOf(week)) })

const lastOf = (week: string): string => new Date(Date.parse(`${weekAfter(week, 1)}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
