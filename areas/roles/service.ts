// What other rooms may ask of the roles: the ones of a person, and giving them.

import type { ViewerPermission } from '#core/contract/permissions.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { permitsOf } from './groups.ts'
import type { RoleChoice } from './role-choice.ts'
import { beyond, builtInRoles, noGrants, permissionOf, type Grants } from './rules.ts'
import {
  deleteMember,
  findRows,
  holdBuiltIn,
  insertMember,
  insertRows,
  membersOfRole,
  rowsNamed,
  findRowsNamed,
  rowsOfPerson,
  type RoleRow,
  type RoleText,
} from './server/store.ts'

export { idsOfMembers, membersOfRole as membersOf, peopleWithCall as holdersOf } from './server/store.ts'

export type Role = Grants & { id: string; name: string; builtIn: string | undefined }

const roleOf = ({ id, name, built_in, view, menu, api }: RoleRow): Role => ({ id, name, builtIn: built_in ?? undefined, view, menu, api })

export async function addBuiltInRoles(db: Database, tenantId: string, now: Date): Promise<Record<string, string>> {
  const rows = builtInRoles.map(({ key, name, description, grants }) => ({
    tenant_id: tenantId,
    id: timeOrderedId(now),
    built_in: key,
    name,
    description,
    ...grants,
    created_at: now,
    created_by: '',
  }))
  await insertRows(db, rows)
  return Object.fromEntries(rows.map((row) => [row.built_in, row.id]))
}

/** `by`: the name of who makes it. */
export async function addRole(db: Database, tenantId: string, draft: RoleText, now: Date, by = ''): Promise<string> {
  const id = timeOrderedId(now)
  await insertRows(db, [{ tenant_id: tenantId, id, built_in: null, ...draft, created_at: now, created_by: by }])
  return id
}

export const rolesOf = async (db: Database, tenantId: string, userId: string): Promise<Role[]> =>
  (await rowsOfPerson(db, tenantId, userId)).map(roleOf)

/** What the roles grant. Whether the account may use it is asked of the users' room (rights.ts). */
export const permissionsOf = async (db: Database, tenantId: string, userId: string): Promise<ViewerPermission> =>
  permissionOf(await rolesOf(db, tenantId, userId))

export const findRoles = async (db: Database, tenantId: string, ids: readonly string[]): Promise<Role[]> =>
  (await findRows(db, tenantId, ids)).map(roleOf)

/** The roles with these names, written in small letters. */
export const findRolesNamed = async (db: Database, tenantId: string, names: readonly string[]): Promise<Role[]> =>
  (await findRowsNamed(db, tenantId, names)).map(roleOf)

/** As it is offered to whoever chooses one. */
export const presentChoice = ({ id, name, description, api }: Role & { description: string }): RoleChoice => ({
  id,
  name,
  description,
  permits: permitsOf(api),
})

/** The roles whose name has what was typed in it. */
export const searchRoles = async (
  db: Database,
  tenantId: string,
  text: string,
  most: number,
): Promise<(Role & { description: string })[]> =>
  (await rowsNamed(db, tenantId, text, most)).map((row) => ({ ...roleOf(row), description: row.description }))

/** Makes these the person's roles. Returns what changed, by role name. */
export async function setRoles(
  db: Database,
  tenantId: string,
  userId: string,
  roleIds: readonly string[],
): Promise<{ given: string[]; taken: string[] }> {
  const before = await rolesOf(db, tenantId, userId)
  const after = await findRoles(db, tenantId, roleIds)
  const given = after.filter((role) => !before.some((old) => old.id === role.id))
  const taken = before.filter((role) => !after.some((kept) => kept.id === role.id))
  await deleteMember(
    db,
    tenantId,
    userId,
    taken.map((role) => role.id),
  )
  await insertMember(
    db,
    tenantId,
    userId,
    given.map((role) => role.id),
  )
  return { given: given.map((role) => role.name), taken: taken.map((role) => role.name) }
}

/** The grants in these roles that the viewer lacks and so may not hand to anybody. */
export const beyondInRoles = (roles: readonly Role[], viewer: ViewerPermission): string[] => [
  ...new Set(roles.flatMap((role) => beyond({ ...noGrants, ...role }, viewer))),
]

/** Who holds the built-in administrator's role. Its row is held until the commit, so that two who take it away at once wait for each other. */
export const holdAdministrators = async (db: Database, tenantId: string): Promise<string[]> =>
  membersOfRole(db, tenantId, await holdBuiltIn(db, tenantId, 'administrator'))

/** For one who is let in again from the terminal. */
export const makeAdministrator = async (db: Database, tenantId: string, userId: string): Promise<void> =>
  insertMember(db, tenantId, userId, [await holdBuiltIn(db, tenantId, 'administrator')])
