// Decisions about sponsors, for the server and the console alike. Pure.

/** A sponsor whose end is so near stands among those that end soon. */
export const endingDays = 30

export function stateOf({ from, until }: { from: Date; until: Date | undefined }, now: Date): 'planned' | 'active' | 'ended' {
  if (until !== undefined && until <= now) return 'ended'
  return from > now ? 'planned' : 'active'
}

/** The kind by which a delete of an account names those who would lose their sponsor. */
export const dependantKind = 'People sponsored'
