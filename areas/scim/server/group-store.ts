// The groups of identity providers and who is in them.

import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { GroupRecord } from './store.ts'

type Tables = { scim_groups: GroupRecord; scim_group_members: { tenant_id: string; group_id: string; user_id: string } }
const tables = (db: Database) => db.withTables<Tables>()
const anyOf = (ids: readonly string[]): RawBuilder<string> => sql<string>`any(${[...ids]}::uuid[])`

const groups = ({ db, tenantId }: Tenancy, sourceId: string) =>
  tables(db).selectFrom('scim_groups').where('tenant_id', '=', tenantId).where('source_id', '=', sourceId)

export const findGroup = (tenancy: Tenancy, sourceId: string, id: string): Promise<GroupRecord | undefined> =>
  groups(tenancy, sourceId).selectAll().where('id', '=', id).executeTakeFirst()

/** Of any identity provider of the tenancy. */
export const findAnyGroup = ({ db, tenantId }: Tenancy, id: string): Promise<GroupRecord | undefined> =>
  tables(db).selectFrom('scim_groups').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** Held until the transaction ends: two changes of one group come one after the other. */
export const lockGroup = (tenancy: Tenancy, sourceId: string, id: string): Promise<GroupRecord | undefined> =>
  groups(tenancy, sourceId).selectAll().where('id', '=', id).forUpdate().executeTakeFirst()

export const listGroups = (tenancy: Tenancy, sourceId: string, most: number): Promise<GroupRecord[]> =>
  groups(tenancy, sourceId).selectAll().orderBy('display_name').orderBy('id').limit(most).execute()

export async function findGroupPage(
  tenancy: Tenancy,
  sourceId: string,
  where: RawBuilder<boolean>,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: GroupRecord[]; total: number }> {
  const fitting = groups(tenancy, sourceId).where(where)
  const rows = limit === 0 ? [] : await fitting.selectAll().orderBy('id').limit(limit).offset(offset).execute()
  const { total } = await fitting.select((all) => all.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

/** Throws where another group of the identity provider has the name: `scim_groups_by_name`. */
export async function insertGroup(
  { db, tenantId, now }: Tenancy,
  group: Pick<GroupRecord, 'id' | 'source_id' | 'display_name' | 'display_name_key' | 'external_id'>,
): Promise<void> {
  await tables(db)
    .insertInto('scim_groups')
    .values({ tenant_id: tenantId, ...group, role_ids: [], version: 1, created_at: now, modified_at: now })
    .execute()
}

export async function updateGroup(
  { db, tenantId, now }: Tenancy,
  id: string,
  changes: Partial<Pick<GroupRecord, 'display_name' | 'display_name_key' | 'external_id' | 'role_ids'>>,
): Promise<void> {
  await tables(db)
    .updateTable('scim_groups')
    .set((all) => ({ ...changes, modified_at: now, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

export async function deleteGroup({ db, tenantId }: Tenancy, id: string): Promise<void> {
  await tables(db).deleteFrom('scim_group_members').where('tenant_id', '=', tenantId).where('group_id', '=', id).execute()
  await tables(db).deleteFrom('scim_groups').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

export async function listMembers({ db, tenantId }: Tenancy, groupId: string): Promise<string[]> {
  const rows = await tables(db)
    .selectFrom('scim_group_members')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('group_id', '=', groupId)
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

export async function countMembers({ db, tenantId }: Tenancy, groupIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tables(db)
    .selectFrom('scim_group_members')
    .select((all) => ['group_id', all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .where('group_id', '=', anyOf(groupIds))
    .groupBy('group_id')
    .execute()
  return new Map(rows.map((row) => [row.group_id, Number(row.count)]))
}

/** Those who were not in it before. */
export async function insertMembers({ db, tenantId }: Tenancy, groupId: string, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const rows = await tables(db)
    .insertInto('scim_group_members')
    .columns(['tenant_id', 'group_id', 'user_id'])
    .expression(
      sql<{ tenant_id: string }>`select ${tenantId}::uuid, ${groupId}::uuid, one from unnest(${[...userIds]}::uuid[]) as one` as never,
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Those who were in it. */
export async function deleteMembers({ db, tenantId }: Tenancy, groupId: string, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const rows = await tables(db)
    .deleteFrom('scim_group_members')
    .where('tenant_id', '=', tenantId)
    .where('group_id', '=', groupId)
    .where('user_id', '=', anyOf(userIds))
    .returning('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** The groups of these people at an identity provider. */
export async function listGroupsOf(
  { db, tenantId }: Tenancy,
  sourceId: string,
  userIds: readonly string[],
): Promise<{ user_id: string; id: string; display_name: string; role_ids: string[] }[]> {
  if (userIds.length === 0) return []
  return tables(db)
    .selectFrom('scim_group_members')
    .innerJoin('scim_groups', (join) =>
      join.onRef('scim_groups.tenant_id', '=', 'scim_group_members.tenant_id').onRef('scim_groups.id', '=', 'scim_group_members.group_id'),
    )
    .where('scim_group_members.tenant_id', '=', tenantId)
    .where('scim_groups.source_id', '=', sourceId)
    .where('scim_group_members.user_id', '=', anyOf(userIds))
    .select(['scim_group_members.user_id', 'scim_groups.id', 'scim_groups.display_name', 'scim_groups.role_ids'])
    .orderBy('scim_groups.id')
    .execute()
}

/** How many groups of any identity provider give a role. */
export async function countGroupsGiving({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, roleId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('scim_groups')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`${roleId}::uuid = any (role_ids)`)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** All roles that some group of the identity provider gives. */
export async function rolesGiven(tenancy: Tenancy, sourceId: string): Promise<Set<string>> {
  const rows = await groups(tenancy, sourceId)
    .select('role_ids')
    .where(sql<boolean>`cardinality(role_ids) > 0`)
    .execute()
  return new Set(rows.flatMap(({ role_ids }) => role_ids))
}
