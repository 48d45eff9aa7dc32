// How long sessions and tokens live.

const idleMilliseconds = 15 * 60_000
export const longestMilliseconds = 12 * 3_600_000
export const pendingMilliseconds = 5 * 60_000
export const longestTokenDays = 366
/** How long a proof of who one is stays fresh. */
export const proofMilliseconds = 5 * 60_000
/** Serial numbers that the viewer object carries. */
export const mostSerials = 100

/** When a session that is used now ends: after the idle time, never past its longest life. */
export const expiryOf = (createdAt: Date, now: Date): Date =>
  new Date(Math.min(now.getTime() + idleMilliseconds, createdAt.getTime() + longestMilliseconds))
