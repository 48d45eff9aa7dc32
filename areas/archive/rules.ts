// How far a recovery is, and until when what was agreed to can be fetched. Pure.

export const recoveryStates = ['waiting', 'approved', 'lapsed', 'denied', 'collected'] as const
export type RecoveryState = (typeof recoveryStates)[number]

export const recoveryLabels: Record<RecoveryState, string> = {
  waiting: 'Waiting',
  approved: 'Ready to fetch',
  lapsed: 'Lapsed',
  denied: 'Denied',
  collected: 'Fetched',
}

/** How a recovery was decided, for who comes too late. */
export const howDecided: Record<RecoveryState, string> = {
  waiting: 'it was decided at this moment',
  approved: 'it was approved, and the key waits to be fetched',
  lapsed: 'it was approved, and nobody fetched the key within a day',
  denied: 'it was denied',
  collected: 'it was approved, and the key was fetched',
}

const hour = 3_600_000
export const fetchWithin = 24 * hour

/** An agreement that nobody used for a day is none any more. */
export const recoveryState = ({ state, decidedAt }: { state: RecoveryState; decidedAt: Date | undefined }, now: Date): RecoveryState =>
  state === 'approved' && decidedAt !== undefined && now.getTime() - decidedAt.getTime() > fetchWithin ? 'lapsed' : state
