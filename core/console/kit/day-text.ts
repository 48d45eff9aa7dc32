import { formatLocale } from '../text.ts'

/** A week's first day, as UTC has it: "5 Jan", or with its year. */
export const dayText = (at: string, style: 'short' | 'full'): string =>
  new Intl.DateTimeFormat(formatLocale(), {
    timeZone: 'UTC',
    ...(style === 'short' ? { day: 'numeric', month: 'short' } : { dateStyle: 'medium' }),
  }).format(new Date(at))

/** "23 Feb – 1 Mar 2026": the last day that is in it, not the moment that is no more. */
export const spanDays = ({ from, until }: { from: Date; until: Date }): string =>
  new Intl.DateTimeFormat(formatLocale(), { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(from, new Date(until.getTime() - 1))
