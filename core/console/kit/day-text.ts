import { formatLocale } from '../text.ts'

/** A week's first day, as UTC has it: "5 Jan", or with its year. */
export const dayText = (at: string, style: 'short' | 'full'): string =>
  new Intl.DateTimeFormat(formatLocale(), {
    timeZone: 'UTC',
    ...(style === 'short' ? { day: 'numeric', month: 'short' } : { dateStyle: 'medium' }),
  }).format(new Date(at))
