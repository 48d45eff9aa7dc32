// How a visit stands, by what is on record and by the clock.

export const visitStates = ['planned', 'noShow', 'arrived', 'overstayed', 'left', 'cancelled'] as const
export type VisitState = (typeof visitStates)[number]

export type VisitTimes = { until: Date; arrivedAt: Date | undefined; leftAt: Date | undefined; cancelled: boolean }

export function stateOf({ until, arrivedAt, leftAt, cancelled }: VisitTimes, now: Date): VisitState {
  if (cancelled) return 'cancelled'
  if (leftAt !== undefined) return 'left'
  if (arrivedAt !== undefined) return until <= now ? 'overstayed' : 'arrived'
  return until <= now ? 'noShow' : 'planned'
}

/** Names of visitors are kept so long after the visit. */
export const keptDays = 365
/** A visit is at most so long. */
export const mostDays = 31
