// Decisions of bulk work that need nothing but their arguments.

/** prepared: its rows are written down and nobody has confirmed it. Whatever it does, it does while it is running. */
export const runStates = ['prepared', 'running', 'done', 'cancelled'] as const
export type RunState = (typeof runStates)[number]

export const rowStates = ['failed', 'requested', 'done', 'waiting'] as const
export type RowState = (typeof rowStates)[number]

/** Rows of one run. */
export const mostRows = 1_000_000
/** Rows in one commit: what a kill undoes, and for how long others may wait for a row. */
export const batchSize = 200

/** Of what a person prepared and has not confirmed, the newest so many stay: rows cost room. */
export const mostPrepared = 10

/** What nobody confirmed is dropped after a day: it would no longer be what the list shows. */
export const preparedStayMilliseconds = 86_400_000
/** The rows of a run, for who asks what became of them. */
export const endedStayMilliseconds = 90 * 86_400_000

/** A row stands in front of the work, behind it, became a request that is not granted by this work, or was left behind by a failure. */
export const rowState = (row: { position: number; failed: boolean; requested: boolean }, reached: number): RowState =>
  row.failed ? 'failed' : row.requested ? 'requested' : row.position <= reached ? 'done' : 'waiting'

/** The counts of two readings together. */
export function addCounts(counts: Readonly<Record<string, number>>, more: Readonly<Record<string, number>>): Record<string, number> {
  const sum = { ...counts }
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count
  return sum
}

export const isEnded = (state: RunState): boolean => state === 'done' || state === 'cancelled'
