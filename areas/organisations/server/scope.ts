// Where in the tree somebody may do something: everywhere by a role of the tenancy, else in the parts in which they were given a role.

import type { RoleInPart } from '#areas/roles/power.ts'
import { findRoles } from '#areas/roles/service.ts'
import type { Permission } from '#core/contract/permission-labels.ts'
import { commonFault } from '#core/server/fault.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { isWithin } from '../rules.ts'
import { listOfPerson } from './grant-store.ts'
import { listOfPeople } from './member-store.ts'
import type { Scope } from './store.ts'

const whole: Scope = ['']

/** What roles given in parts let the viewer do: over a person who belongs there, and over anybody. */
export async function heldInParts(tenancy: Tenancy, viewer: Viewer, userId: string): Promise<{ here: string[]; anywhere: string[] }> {
  if (viewer.narrowed === true || viewer.homeTenantId !== viewer.tenantId) return { here: [], anywhere: [] }
  const grants = await listOfPerson(tenancy, viewer.userId)
  const roles = await findRoles(tenancy.db, tenancy.tenantId, [...new Set(grants.map(({ role_id }) => role_id))])
  const places = await listOfPeople(tenancy, [userId])
  const named = (some: readonly { role_id: string }[]) =>
    roles.filter(({ id }) => some.some(({ role_id }) => role_id === id)).flatMap(({ api }) => api)
  return { here: named(grants.filter(({ path }) => places.some((place) => isWithin(place.path, path)))), anywhere: named(grants) }
}

/** The roles that somebody has in parts now, each with where. */
export async function rolesInPartsOf(tenancy: Tenancy, userId: string): Promise<RoleInPart[]> {
  const grants = await listOfPerson(tenancy, userId)
  const roles = await findRoles(tenancy.db, tenancy.tenantId, [...new Set(grants.map(({ role_id }) => role_id))])
  return grants.flatMap(({ role_id, organisation_id: partId, path: place }) =>
    roles.filter(({ id }) => id === role_id).map((role) => ({ role, partId, place })),
  )
}

/** Answers the outermost paths of where the viewer has a permission; none where nowhere. A token with scopes has only what its scopes name. */
export async function scopeOf(tenancy: Tenancy, viewer: Viewer, permission: Permission): Promise<Scope> {
  if (viewer.permission.api.includes(permission)) return whole
  if (viewer.narrowed === true || viewer.homeTenantId !== viewer.tenantId) return []
  const grants = await listOfPerson(tenancy, viewer.userId)
  const roles = await findRoles(tenancy.db, tenancy.tenantId, [...new Set(grants.map(({ role_id }) => role_id))])
  const opening = new Set(roles.filter(({ api }) => api.includes(permission)).map(({ id }) => id))
  const paths = grants.filter(({ role_id }) => opening.has(role_id)).map(({ path }) => path)
  return [...new Set(paths)].filter((path) => !paths.some((other) => other !== path && isWithin(path, other)))
}

/** The same; who has it nowhere is refused. */
export async function needScope(tenancy: Tenancy, viewer: Viewer, permission: Permission): Promise<Scope> {
  const scope = await scopeOf(tenancy, viewer, permission)
  if (scope.length === 0) throw commonFault('denied', { params: { permission } })
  return scope
}

export const covers = (scope: Scope, path: string): boolean => scope.some((above) => isWithin(path, above))

/** Whether somebody belongs to a part of a scope. Who does not is unknown there, or an officer of a part could draw anybody of the tenancy into it. */
export const reaches = async (tenancy: Tenancy, scope: Scope, userId: string): Promise<boolean> =>
  covers(scope, '') || (await listOfPeople(tenancy, [userId])).some(({ path }) => covers(scope, path))

/** The part of a scope that lies at a path and below it. */
export const within = (scope: Scope, path: string): Scope => (covers(scope, path) ? [path] : scope.filter((inner) => isWithin(inner, path)))
