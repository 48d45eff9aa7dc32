// A moment in medium format, with the full one as its tooltip.

import { preferencesStore, usePreference } from '../preferences.ts'
import { formatLocale, formatter, t } from '../text.ts'
import { Hint } from './Hint.tsx'

export type DateTimeProps = {
  /** ISO 8601, milliseconds, or a Date; undefined shows a dash. */
  at: string | number | Date | undefined | null
  /** Leaves the time of day out. */
  dateOnly?: boolean
}

export const mediumDate = (at: Date, dateOnly = false): string =>
  formatted(at, dateOnly ? { dateStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' })

const fullDate = (at: Date): string => formatted(at, { dateStyle: 'full', timeStyle: 'long' })

/** A day as it stands alone or before a time in UTC, and in no name: `www-2026-06-30.example` is none. */
const writtenDates = /(?<![\p{L}\p{N}./:@_-])(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d) UTC)?(?![\p{L}\p{N}/:@_-]|\.[\p{L}\p{N}])/gu

/** A sentence of the server with its days and times in the person's own way. A day is one in UTC wherever it is read. */
export const withDates = (text: string): string =>
  text.replaceAll(writtenDates, (written, day: string, time: string | undefined) => {
    const at = new Date(time === undefined ? day : `${day}T${time}Z`)
    if (Number.isNaN(at.getTime())) return written
    return time === undefined ? formatted(at, { dateStyle: 'medium' }, 'UTC') : mediumDate(at)
  })

export function WithDates({ text }: { text: string }) {
  usePreference('dateLocale')
  usePreference('timeZone')
  return withDates(text)
}

/** A moment to the second, from ISO 8601; another text as it is. */
export const momentText = (text: string): string => {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? text : formatted(at, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** In the person's own way of writing, and zone, where they chose one. */
function formatted(at: Date, style: Intl.DateTimeFormatOptions, zone?: string): string {
  const { dateLocale, timeZone: ownZone } = preferencesStore.getState()
  const timeZone = zone ?? ownZone
  const locale = dateLocale === '' ? formatLocale() : dateLocale
  const options = { ...style, ...(timeZone === '' ? {} : { timeZone }) }
  return formatter(`date ${locale} ${JSON.stringify(options)}`, () => new Intl.DateTimeFormat(locale, options)).format(at)
}

export function DateTime({ at, dateOnly = false }: DateTimeProps) {
  usePreference('dateLocale')
  usePreference('timeZone')
  const date = at === undefined || at === null ? undefined : new Date(at)
  if (date === undefined || Number.isNaN(date.getTime())) return <span aria-label={t('none')}>–</span>
  return (
    <Hint label={() => fullDate(date)} delay={300}>
      <time dateTime={date.toISOString()} style={{ whiteSpace: 'nowrap' }}>
        {mediumDate(date, dateOnly)}
      </time>
    </Hint>
  )
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** "in 12 days", "3 hours ago". Days are those of the person's calendar: what ends the night after next does not end tomorrow. */
export function relativeTime(at: string | number | Date, now: Date = new Date()): string {
  const seconds = (new Date(at).getTime() - now.getTime()) / 1000
  // To the nearest: a certificate of a year, looked at a second after, is not one of eleven months.
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length * 0.99) ?? ['second', 1]
  const amount = unit === 'day' ? calendarDay(new Date(at)) - calendarDay(now) : Math.round(seconds / size)
  return new Intl.RelativeTimeFormat(formatLocale(), { numeric: unit === 'second' || unit === 'day' ? 'auto' : 'always' }).format(
    amount,
    unit,
  )
}

/** Counts days since 1970 by the calendar of the person's zone. */
function calendarDay(at: Date): number {
  const { timeZone } = preferencesStore.getState()
  const options: Intl.DateTimeFormatOptions = { calendar: 'gregory', year: 'numeric', month: '2-digit', day: '2-digit' }
  const zoned = timeZone === '' ? options : { ...options, timeZone }
  // Writes the year first, as ISO 8601 does.
  const day = formatter(`day ${JSON.stringify(zoned)}`, () => new Intl.DateTimeFormat('sv-SE', zoned)).format(at)
  return Date.parse(day) / 86_400_000
}
