// What an account can do in a tenancy at this moment, its own or one that it visits: for whoever stores what a slow key has signed since it was asked for.

import { permissionsOf } from '#areas/roles/service.ts'
import { findPerson } from '#areas/users/service.ts'
import { visitTenant, type Database } from '#core/server/database.ts'
import type { Viewer } from '#core/server/serve.ts'
import { mayVisit } from './rules.ts'

/** False where the account is disabled or gone, has lost the permission, or may not work in other tenancies any more. */
export async function mayStill(
  db: Database,
  { userId, tenantId, homeTenantId: home }: Pick<Viewer, 'userId' | 'tenantId' | 'homeTenantId'>,
  needs: Viewer['permission']['api'][number],
): Promise<boolean> {
  const standing = async (visiting: boolean) =>
    (await findPerson(db, home, userId))?.enabled === true ? permissionsOf(db, home, userId, visiting) : undefined
  if (home === tenantId) return (await standing(false))?.api.includes(needs) === true
  const permission = await visitTenant(db, { home: tenantId, tenantId: home }, () => standing(true))
  return permission !== undefined && mayVisit(permission) && permission.api.includes(needs)
}
