// The weeks of the pictures, and the steps of the first run. Pure, for both sides.

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

/** The same deed of the same person over and over is told once, as of its newest, with how often it was done. */
export function foldRepeats<Row extends { actor: string; area: string; name: string; outcome: string }>(
  rows: readonly Row[],
): (Row & { times: number })[] {
  const folded: (Row & { times: number })[] = []
  for (const row of rows) {
    const last = folded.at(-1)
    if (last !== undefined && (['actor', 'area', 'name', 'outcome'] as const).every((key) => last[key] === row[key])) last.times += 1
    else folded.push({ ...row, times: 1 })
  }
  return folded
}

/** What makes a new tenancy useful, in the order in which it is done. Each is measured, not ticked. */
export const firstSteps = ['support', 'person', 'authority', 'template', 'certificate', 'approval'] as const
export type FirstStep = (typeof firstSteps)[number]
