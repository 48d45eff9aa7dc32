import { dayText } from '#core/contract/days.ts'

export const reportGroups = { authority: 'Authority', template: 'Template', requester: 'Requester', class: 'Class' } as const
export type ReportGroup = keyof typeof reportGroups

/** Rows of one report. */
export const mostGroups = 500
/** Days of one report. */
const longestDays = 3660

const day = 86_400_000

/** From midnight of the first day to midnight after the last, in UTC; undefined where that is no period. */
export function periodOf(first: string, last: string): { from: Date; until: Date } | undefined {
  const [from, end] = [new Date(`${first}T00:00:00Z`), new Date(`${last}T00:00:00Z`)]
  if (Number.isNaN(from.getTime()) || Number.isNaN(end.getTime()) || end < from) return undefined
  const until = new Date(end.getTime() + day)
  return (until.getTime() - from.getTime()) / day > longestDays ? undefined : { from, until }
}

/** The period that a report begins with: the last 30 days, today among them. */
export const lastDays = (now: Date, days = 30): { first: string; last: string } => ({
  first: dayText(new Date(now.getTime() - (days - 1) * day)),
  last: dayText(now),
})
