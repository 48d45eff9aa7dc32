// What other rooms may ask of the roles: the ones of a person, and giving them.

import type { ViewerPermission } from '#core/contract/permissions.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { beyond, builtInRoles, noGrants, permissionOf, type Grants } from './rules.ts'
import { tables } from './server/store.ts'

export type Role = Grants & { id: string; name: string; builtIn: string | undefined }

export async function addBuiltInRoles(db: Database, tenantId: string, now: Date): Promise<Record<string, string>> {
  const rows = builtInRoles.map(({ key, name, description, grants }) => ({ tenant_id: tenantId, id: timeOrderedId(now), built_in: key, name, description, ...grants }))
  await tables(db).insertInto('roles').values(rows).execute()
  return Object.fromEntries(rows.map((row) => [row.built_in, row.id]))
}

export async function rolesOf(db: Database, tenantId: string, userId: string): Promise<Role[]> {
  const rows = await tables(db)
    .selectFrom('role_members')
    .innerJoin('roles', (join) => join.onRef('roles.tenant_id', '=', 'role_members.tenant_id').onRef('roles.id', '=', 'role_members.role_id'))
    .where('role_members.tenant_id', '=', tenantId)
    .where('role_members.user_id', '=', userId)
    .select(['roles.id', 'roles.name', 'roles.built_in', 'roles.view', 'roles.menu', 'roles.api'])
    .execute()
  return rows.map(({ built_in, ...role }) => ({ ...role, builtIn: built_in ?? undefined }))
}

export const permissionsOf = async (db: Database, tenantId: string, userId: string, isManager: boolean): Promise<ViewerPermission> =>
  permissionOf(await rolesOf(db, tenantId, userId), isManager)

export async function findRoles(db: Database, tenantId: string, ids: readonly string[]): Promise<Role[]> {
  if (ids.length === 0) return []
  const rows = await tables(db).selectFrom('roles').selectAll().where('tenant_id', '=', tenantId).where('id', 'in', [...ids]).execute()
  return rows.map((row) => ({ id: row.id, name: row.name, builtIn: row.built_in ?? undefined, view: row.view, menu: row.menu, api: row.api }))
}

/** The roles whose name has what was typed in it. */
export async function searchRoles(db: Database, tenantId: string, text: string, most: number): Promise<(Role & { description: string })[]> {
  const rows = await tables(db)
    .selectFrom('roles')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['name']), all.val(text.toLowerCase())]), '>', 0))
    .orderBy('name')
    .limit(most)
    .execute()
  return rows.map(({ built_in, id, name, description, view, menu, api }) => ({ id, name, description, view, menu, api, builtIn: built_in ?? undefined }))
}

/** The people who have a role. */
export async function membersOf(db: Database, tenantId: string, roleId: string): Promise<string[]> {
  const rows = await tables(db).selectFrom('role_members').select('user_id').where('tenant_id', '=', tenantId).where('role_id', '=', roleId).execute()
  return rows.map((row) => row.user_id)
}

/** The people of a tenancy who hold a call permission: those who may approve. */
export async function holdersOf(db: Database, tenantId: string, permission: string): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom('role_members')
    .innerJoin('roles', (join) => join.onRef('roles.tenant_id', '=', 'role_members.tenant_id').onRef('roles.id', '=', 'role_members.role_id'))
    .where('role_members.tenant_id', '=', tenantId)
    .where((all) => all(all.val(permission), '=', all.fn.any('roles.api')))
    .select('role_members.user_id')
    .distinct()
    .execute()
  return rows.map((row) => row.user_id)
}

/** Makes these the person's roles. Returns what changed, by role name. */
export async function setRoles(db: Database, tenantId: string, userId: string, roleIds: readonly string[]): Promise<{ given: string[]; taken: string[] }> {
  const before = await rolesOf(db, tenantId, userId)
  const after = await findRoles(db, tenantId, roleIds)
  const given = after.filter((role) => !before.some((old) => old.id === role.id))
  const taken = before.filter((role) => !after.some((kept) => kept.id === role.id))
  if (taken.length > 0)
    await tables(db)
      .deleteFrom('role_members')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('role_id', 'in', taken.map((role) => role.id))
      .execute()
  if (given.length > 0)
    await tables(db)
      .insertInto('role_members')
      .values(given.map((role) => ({ tenant_id: tenantId, role_id: role.id, user_id: userId })))
      .execute()
  return { given: given.map((role) => role.name), taken: taken.map((role) => role.name) }
}

/** The grants in these roles that the viewer lacks and so may not hand to anybody. */
export const beyondInRoles = (roles: readonly Role[], viewer: ViewerPermission): string[] => [...new Set(roles.flatMap((role) => beyond({ ...noGrants, ...role }, viewer)))]

export async function addRole(db: Database, tenantId: string, draft: Grants & { name: string; description: string }, now: Date): Promise<string> {
  const id = timeOrderedId(now)
  await tables(db).insertInto('roles').values({ tenant_id: tenantId, id, built_in: null, ...draft }).execute()
  return id
}

/** Who holds the built-in administrator's role. Its row is held until the commit, so that two who take it away at once wait for each other. */
export async function holdAdministrators(db: Database, tenantId: string): Promise<string[]> {
  const role = await administratorRole(db, tenantId)
  const rows = await tables(db).selectFrom('role_members').select('user_id').where('tenant_id', '=', tenantId).where('role_id', '=', role).execute()
  return rows.map((row) => row.user_id)
}

/** For one who is let in again from the terminal. */
export async function makeAdministrator(db: Database, tenantId: string, userId: string): Promise<void> {
  await tables(db)
    .insertInto('role_members')
    .values({ tenant_id: tenantId, role_id: await administratorRole(db, tenantId), user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

const administratorRole = async (db: Database, tenantId: string): Promise<string> =>
  (await tables(db).selectFrom('roles').select('id').where('tenant_id', '=', tenantId).where('built_in', '=', 'administrator').forUpdate().executeTakeFirstOrThrow()).id
