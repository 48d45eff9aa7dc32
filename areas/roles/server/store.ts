// The roles' tables, and every question that is asked of them.

import { sql, type Generated, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Grants } from '../rules.ts'

export type RoleRow = Grants & {
  tenant_id: string
  id: string
  built_in: string | null
  name: string
  description: string
  version: number
  created_at: Date | null
  created_by: string
}
export type RoleText = Grants & { name: string; description: string }

type RoleTables = {
  roles: {
    tenant_id: string
    id: string
    built_in: string | null
    name: string
    description: string
    view: string[]
    menu: string[]
    api: string[]
    version: Generated<number>
    created_at: Date | null
    created_by: string
  }
  role_members: { tenant_id: string; role_id: string; user_id: string }
}

const tables = (db: Database) => db.withTables<RoleTables>()

const rolesNamed = (db: Database, tenantId: string, text: string, ofNobody = false) =>
  tables(db)
    .selectFrom('roles')
    .where('roles.tenant_id', '=', tenantId)
    .$if(text !== '', (query) =>
      query.where((all) => all.eb(all.fn<number>('strpos', [all.fn('lower', ['roles.name']), all.val(text.toLowerCase())]), '>', 0)),
    )
    .$if(ofNobody, (query) =>
      query
        .where('roles.built_in', 'is', null)
        .where((all) =>
          all.not(
            all.exists(
              all
                .selectFrom('role_members')
                .whereRef('role_members.tenant_id', '=', 'roles.tenant_id')
                .whereRef('role_members.role_id', '=', 'roles.id')
                .select('role_members.user_id'),
            ),
          ),
        ),
    )

export type Page = { page: number; size: number; text: string; direction: 'asc' | 'desc'; held?: 'nobody' | undefined }

/** A page of the roles whose name has the text in it, each with the number of its people. */
export async function pageOfRoles(
  db: Database,
  tenantId: string,
  { page, size, text, direction, held }: Page,
): Promise<{ rows: (RoleRow & { people: number })[]; total: number }> {
  const rows = await rolesNamed(db, tenantId, text, held === 'nobody')
    .selectAll()
    .select((all) =>
      all
        .selectFrom('role_members')
        .whereRef('role_members.tenant_id', '=', 'roles.tenant_id')
        .whereRef('role_members.role_id', '=', 'roles.id')
        .select((inner) => inner.fn.countAll<number>().as('people'))
        .as('people'),
    )
    .orderBy('roles.name', direction)
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  const { total } = await rolesNamed(db, tenantId, text, held === 'nobody')
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows: rows.map((row) => ({ ...row, people: row.people ?? 0 })), total }
}

export const rowsNamed = (db: Database, tenantId: string, text: string, most: number): Promise<RoleRow[]> =>
  rolesNamed(db, tenantId, text).selectAll().orderBy('name').limit(most).execute()

/** By their names, written in small letters. */
export const findRowsNamed = async (db: Database, tenantId: string, names: readonly string[]): Promise<RoleRow[]> =>
  names.length === 0
    ? []
    : tables(db)
        .selectFrom('roles')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where(sql<boolean>`lower(name) = any(${[...names]}::text[])`)
        .execute()

export const findRow = (db: Database, tenantId: string, id: string): Promise<RoleRow | undefined> =>
  tables(db).selectFrom('roles').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Holds the row until the transaction ends: what is decided by its grants then stays so. */
export const lockRow = (db: Database, tenantId: string, id: string): Promise<RoleRow | undefined> =>
  tables(db).selectFrom('roles').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

export const findRows = async (db: Database, tenantId: string, ids: readonly string[]): Promise<RoleRow[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('roles')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

/** Throws where the name is taken: the constraint `roles_by_name`. */
export const insertRows = async (db: Database, rows: readonly Omit<RoleRow, 'version'>[]): Promise<void> =>
  void (await tables(db)
    .insertInto('roles')
    .values([...rows])
    .execute())

/** Throws where the name is taken: the constraint `roles_by_name`. */
export const updateRow = async (db: Database, tenantId: string, id: string, text: RoleText): Promise<void> =>
  void (await tables(db)
    .updateTable('roles')
    .set((all) => ({ ...text, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** The row of a built-in role, held until the commit. */
export const holdBuiltIn = async (db: Database, tenantId: string, key: string): Promise<string> =>
  (
    await tables(db)
      .selectFrom('roles')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('built_in', '=', key)
      .forUpdate()
      .executeTakeFirstOrThrow()
  ).id

export const rowsOfPerson = (db: Database, tenantId: string, userId: string): Promise<RoleRow[]> =>
  tables(db)
    .selectFrom('role_members')
    .innerJoin('roles', (join) =>
      join.onRef('roles.tenant_id', '=', 'role_members.tenant_id').onRef('roles.id', '=', 'role_members.role_id'),
    )
    .where('role_members.tenant_id', '=', tenantId)
    .where('role_members.user_id', '=', userId)
    .selectAll('roles')
    .execute()

export async function membersOfRole(db: Database, tenantId: string, roleId: string): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom('role_members')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('role_id', '=', roleId)
    .execute()
  return rows.map((row) => row.user_id)
}

export async function countMembers(db: Database, tenantId: string, roleId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('role_members')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('role_id', '=', roleId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** How many people have both. */
export async function countMembersOfBoth(db: Database, tenantId: string, roleId: string, otherId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('role_members')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('role_id', '=', roleId)
    .where('user_id', 'in', idsOfMembers(tenantId, otherId))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Takes a role from everybody and deletes it; answers who had it. */
export async function deleteRow(db: Database, tenantId: string, id: string): Promise<string[]> {
  const taken = await tables(db)
    .deleteFrom('role_members')
    .where('tenant_id', '=', tenantId)
    .where('role_id', '=', id)
    .returning('user_id')
    .execute()
  await tables(db).deleteFrom('roles').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  return taken.map((row) => row.user_id)
}

/** Their ids as a question, for those who look among them: a role may have more people than a statement takes parameters. */
export const idsOfMembers = (tenantId: string, roleId: string): RawBuilder<string> =>
  sql<string>`(select user_id from role_members where tenant_id = ${tenantId} and role_id = ${roleId})`

export async function peopleWithCall(db: Database, tenantId: string, permission: string): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom('role_members')
    .innerJoin('roles', (join) =>
      join.onRef('roles.tenant_id', '=', 'role_members.tenant_id').onRef('roles.id', '=', 'role_members.role_id'),
    )
    .where('role_members.tenant_id', '=', tenantId)
    .where((all) => all(all.val(permission), '=', all.fn.any('roles.api')))
    .select('role_members.user_id')
    .distinct()
    .execute()
  return rows.map((row) => row.user_id)
}

/** A role that the person has already stays given once. */
export async function insertMember(db: Database, tenantId: string, userId: string, roleIds: readonly string[]): Promise<void> {
  if (roleIds.length === 0) return
  await tables(db)
    .insertInto('role_members')
    .values(roleIds.map((roleId) => ({ tenant_id: tenantId, role_id: roleId, user_id: userId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteMember(db: Database, tenantId: string, userId: string, roleIds: readonly string[]): Promise<void> {
  if (roleIds.length === 0) return
  await tables(db)
    .deleteFrom('role_members')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('role_id', 'in', [...roleIds])
    .execute()
}
