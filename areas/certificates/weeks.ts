// The weeks of the pictures on the home page. Pure, for both sides.

const day = 86_400_000
const week = 7 * day

export type Span = { from: Date; until: Date }

/** Monday, midnight UTC, of the week that holds the moment. */
export function mondayOf(at: Date): Date {
  const midnight = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()))
  return new Date(midnight.getTime() - ((midnight.getUTCDay() + 6) % 7) * day)
}

/** From now to the end of this week, then whole weeks. */
export function weeksAhead(now: Date, count: number): Span[] {
  const monday = mondayOf(now).getTime()
  return Array.from({ length: count }, (_, at) => ({
    from: at === 0 ? now : new Date(monday + at * week),
    until: new Date(monday + (at + 1) * week),
  }))
}

/** Whole weeks, the current one last. */
export function weeksBack(now: Date, count: number): Span[] {
  const monday = mondayOf(now).getTime()
  return Array.from({ length: count }, (_, at) => ({
    from: new Date(monday + (at - count + 1) * week),
    until: new Date(monday + (at - count + 2) * week),
  }))
}

/** As a list's address gives it (ISO 8601). */
export const spanText = ({ from, until }: Span): string => `${from.toISOString()}/${until.toISOString()}`

export const weeksShown = 12

/** Between which numbers the middle half of the weeks lies; nothing where they are too few or all alike. */
export function usualBand(counts: readonly number[]): { from: number; to: number } | undefined {
  if (counts.length < 4) return undefined
  const sorted = counts.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0
  const band = { from: at(0.25), to: at(0.75) }
  return band.from === band.to ? undefined : band
}
