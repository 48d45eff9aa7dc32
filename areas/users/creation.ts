// How accounts came to be, and the periods over which their making is looked at.

import * as z from 'zod'

/** Days that a look back takes. */
export const creationPeriods = [7, 30, 90] as const
export type CreationPeriod = (typeof creationPeriods)[number]

/** A column of the picture is so many days: thirty of them are read, ninety are a hedge. */
export const daysInColumn = (period: CreationPeriod): number => (period === 90 ? 3 : 1)

/** Who or what made an account; `unknown` of those that were made before this was kept. */
export const origins = ['form', 'import', 'directory', 'scim', 'registration', 'signIn', 'setup', 'unknown'] as const
export type Origin = (typeof origins)[number]
export const originLabels: Readonly<Record<Origin, string>> = {
  form: 'By hand',
  import: 'CSV import',
  directory: 'Directory',
  scim: 'SCIM',
  registration: 'Registration',
  signIn: 'First sign-in by an identity provider',
  setup: 'With the tenancy',
  unknown: 'Not known',
}

/** What became of the activation link of somebody who has not used it. */
export const linkStates = ['lapsed', 'none'] as const
export type LinkState = (typeof linkStates)[number]

const dayMilliseconds = 86_400_000
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)
export const addDays = (day: string, count: number): string => dayOf(new Date(Date.parse(day) + count * dayMilliseconds))

/** The first day of a period that ends today. Days are those of UTC, as in reports. */
export const firstDayOf = (period: CreationPeriod, now: Date): string => addDays(dayOf(now), 1 - period)

export const Day = z.iso.date('Enter a day such as 2027-03-31')
