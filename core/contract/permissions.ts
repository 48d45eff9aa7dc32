// Who may what: needs, and what a viewer holds. The names with their labels are a file of their own, because no page before the sign-in shows them.

import type { Permission } from './permission-labels.ts'

/** Who may: a permission, anyone signed in, or anyone at all. */
export type Needs = Permission | 'signedIn' | 'public'

/** What a signed-in person or program may do, as the specification's viewer object carries it. */
export type ViewerPermission = {
  View: string[]
  Menu: string[]
  /** Those of the menu whose screens open, too: the navigation shows no others. */
  activeMenu: string[]
  api: string[]
  roles: string[]
  isManager: boolean
}

export const noPermission: ViewerPermission = { View: [], Menu: [], activeMenu: [], api: [], roles: [], isManager: false }

/** A part that is missing is an empty list, or false. */
export const wholePermission = (
  sent: { [K in keyof ViewerPermission]?: ViewerPermission[K] | null } | null | undefined,
): ViewerPermission => ({
  View: sent?.View ?? [],
  Menu: sent?.Menu ?? [],
  activeMenu: sent?.activeMenu ?? [],
  api: sent?.api ?? [],
  roles: sent?.roles ?? [],
  isManager: sent?.isManager ?? false,
})

/** Whether a list of granted names satisfies a need; `signedIn` and `public` need no name. */
export const satisfies = (granted: readonly string[], needs: Needs): boolean =>
  needs === 'public' || needs === 'signedIn' || granted.includes(needs)
