// How long a session lives, and what a token may do.

import type { ViewerPermission } from '#core/contract/permissions.ts'

const idleMilliseconds = 15 * 60_000
export const longestMilliseconds = 12 * 3_600_000
export const pendingMilliseconds = 5 * 60_000
export const longestTokenDays = 366

/** When a session that is used now ends: after the idle time, never past its longest life. */
export const expiryOf = (createdAt: Date, now: Date): Date =>
  new Date(Math.min(now.getTime() + idleMilliseconds, createdAt.getTime() + longestMilliseconds))

/** Working in managed tenancies is for those who configure the own one: who no longer may is back at home with the next request. */
export const mayVisit = (permission: ViewerPermission): boolean => permission.api.includes('tenancyConfig')

/** A token can do what its owner can do now and its scopes name; no scopes means all of it. Menus are among what may be given to others. */
export const narrowedTo = (permission: ViewerPermission, scopes: readonly string[]): ViewerPermission => {
  const within = (names: readonly string[]) => (scopes.length === 0 ? [...names] : names.filter((name) => scopes.includes(name)))
  return { ...permission, View: within(permission.View), Menu: within(permission.Menu), activeMenu: [], api: within(permission.api) }
}
