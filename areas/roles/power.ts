// How much a person may do, from every source of it, and whether that is more than somebody else may: the one comparison of power. Whoever changes an
// account, leads into it or gives something to it asks here, so that a new source of power counts everywhere at once.

import type { ViewerPermission } from '#core/contract/permissions.ts'
import { slot } from '#core/contract/slots.ts'
import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { beyond, grantNames, type Grants } from './rules.ts'
import { rolesOf } from './service.ts'

/** A role that holds in a part of the tenancy alone. The place of what lies below a part begins with the place of the part. */
export type RoleInPart = { role: Grants; partId: string; place: string }
export const rolesInParts = slot<(tenancy: Tenancy, userId: string) => Promise<readonly RoleInPart[]>>(
  'power in parts: the roles that a person has in a part of the tenancy',
)

type Asked = Pick<House, 'offers'>

async function inParts(house: Asked, tenancy: Tenancy, userId: string): Promise<RoleInPart[]> {
  const all: RoleInPart[] = []
  for (const read of house.offers(rolesInParts)) all.push(...(await read(tenancy, userId)))
  return all
}

/** Who is compared with: what they hold in the tenancy, and who they are, so that what they hold in parts of it counts, too. */
export type Measure = {
  userId: string
  permission: ViewerPermission
  /** Where the account lives; one that visits has no part here. */
  homeTenantId?: string | undefined
  /** Holds what its scopes name and nothing in parts. */
  narrowed?: boolean | undefined
}

/** The grants that a person has, wherever from, and that the other lacks there. None says that the person holds no more. */
export async function beyondOf(house: Asked, tenancy: Tenancy, userId: string, measure: Measure): Promise<string[]> {
  const roles = await rolesOf(tenancy.db, tenancy.tenantId, userId)
  const more = roles.flatMap((role) => beyond(role, measure.permission))
  return [...new Set([...more, ...(await beyondInParts(house, tenancy, userId, measure))])].sort()
}

/** Those of them that hold in parts, for whoever compares the roles of the tenancy otherwise: as they will be, or as they were. */
export async function beyondInParts(house: Asked, tenancy: Tenancy, userId: string, measure: Measure): Promise<string[]> {
  const { permission, narrowed, homeTenantId = tenancy.tenantId } = measure
  const parts = await inParts(house, tenancy, userId)
  if (parts.length === 0) return []
  const own = narrowed === true || homeTenantId !== tenancy.tenantId ? [] : await inParts(house, tenancy, measure.userId)
  return parts.flatMap(({ role, place }) => {
    const there = own.filter((one) => place.startsWith(one.place)).map((one) => one.role)
    return beyond(role, withGrants(permission, there))
  })
}

const withGrants = (permission: ViewerPermission, roles: readonly Grants[]): ViewerPermission => ({
  ...permission,
  View: [...permission.View, ...roles.flatMap(({ view }) => view)],
  Menu: [...permission.Menu, ...roles.flatMap(({ menu }) => menu)],
  api: [...permission.api, ...roles.flatMap(({ api }) => api)],
})

/** All that a person has as texts, such as `api:userAdd`, and with the part where it holds in one: for what keeps what somebody held at a time. */
export async function powerNames(house: Asked, tenancy: Tenancy, userId: string): Promise<string[]> {
  const roles = await rolesOf(tenancy.db, tenancy.tenantId, userId)
  const parts = await inParts(house, tenancy, userId)
  return [
    ...new Set([
      ...roles.flatMap(grantNames),
      ...parts.flatMap(({ role, partId }) => grantNames(role).map((grant) => `${grant} in ${partId}`)),
    ]),
  ].sort()
}
