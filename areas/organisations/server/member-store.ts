// Who belongs to which organisation.

import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { OrganisationTables } from './store.ts'

const tables = (db: Database) => db.withTables<OrganisationTables>()

const anyOf = (ids: readonly string[]): RawBuilder<string> => sql<string>`any(${[...ids]}::uuid[])`

/** How many people belong to each. */
export async function countMembers({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await tables(db)
    .selectFrom('organisation_members')
    .select((all) => ['organisation_id', all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .where('organisation_id', '=', anyOf(ids))
    .groupBy('organisation_id')
    .execute()
  return new Map(rows.map((row) => [row.organisation_id, Number(row.count)]))
}

/** How many people belong to what stands at a path and below it, each counted once. */
export async function countMembersBelow({ db, tenantId }: Tenancy, path: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('organisation_members as member')
    .innerJoin('organisations', (join) =>
      join.onRef('organisations.tenant_id', '=', 'member.tenant_id').onRef('organisations.id', '=', 'member.organisation_id'),
    )
    .select(sql<number>`count(distinct member.user_id)`.as('count'))
    .where('member.tenant_id', '=', tenantId)
    .where('organisations.path', '>=', path)
    .where('organisations.path', '<', `${path}~`)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** How many people belong to both. */
export async function countInBoth({ db, tenantId }: Tenancy, oneId: string, otherId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('organisation_members as one')
    .innerJoin('organisation_members as other', (join) =>
      join.onRef('other.tenant_id', '=', 'one.tenant_id').onRef('other.user_id', '=', 'one.user_id'),
    )
    .select(sql<number>`count(*)`.as('count'))
    .where('one.tenant_id', '=', tenantId)
    .where('one.organisation_id', '=', oneId)
    .where('other.organisation_id', '=', otherId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A question whose answer are the people of what stands at a path, and below it where asked. */
export const idsOfMembers = (tenantId: string, path: string, below: boolean): RawBuilder<string> =>
  sql<string>`(select member.user_id from organisation_members member join organisations place
    on place.tenant_id = member.tenant_id and place.id = member.organisation_id
    where member.tenant_id = ${tenantId} and ${below ? sql`place.path >= ${path} and place.path < ${`${path}~`}` : sql`place.path = ${path}`})`

/** The organisations of each of these people, by name. */
export const listOfPeople = async (
  { db, tenantId }: Tenancy,
  userIds: readonly string[],
): Promise<{ user_id: string; id: string; name: string; path: string }[]> =>
  userIds.length === 0
    ? []
    : tables(db)
        .selectFrom('organisation_members as member')
        .innerJoin('organisations', (join) =>
          join.onRef('organisations.tenant_id', '=', 'member.tenant_id').onRef('organisations.id', '=', 'member.organisation_id'),
        )
        .select(['member.user_id', 'organisations.id', 'organisations.name', 'organisations.path'])
        .where('member.tenant_id', '=', tenantId)
        .where('member.user_id', '=', anyOf(userIds))
        .orderBy('organisations.name')
        .execute()

export const insertMembers = async (
  { db, tenantId, now }: Tenancy,
  members: readonly { organisationId: string; userId: string }[],
): Promise<void> => {
  if (members.length === 0) return
  await tables(db)
    .insertInto('organisation_members')
    .values(
      members.map(({ organisationId, userId }) => ({
        tenant_id: tenantId,
        organisation_id: organisationId,
        user_id: userId,
        added_at: now,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const deleteMembers = async ({ db, tenantId }: Tenancy, userId: string, organisationIds: readonly string[]): Promise<void> => {
  if (organisationIds.length === 0) return
  await tables(db)
    .deleteFrom('organisation_members')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('organisation_id', '=', anyOf(organisationIds))
    .execute()
}

export const deletePerson = async ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, userId: string): Promise<void> =>
  void (await tables(db).deleteFrom('organisation_members').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute())

/** Gives the people of one to another; who belongs to both stays once. */
export async function updateMembers({ db, tenantId }: Tenancy, fromId: string, toId: string): Promise<void> {
  await tables(db)
    .insertInto('organisation_members')
    .columns(['tenant_id', 'organisation_id', 'user_id', 'added_at'])
    .expression((all) =>
      all
        .selectFrom('organisation_members')
        .select(['tenant_id', sql<string>`${toId}::uuid`.as('organisation_id'), 'user_id', 'added_at'])
        .where('tenant_id', '=', tenantId)
        .where('organisation_id', '=', fromId),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tables(db).deleteFrom('organisation_members').where('tenant_id', '=', tenantId).where('organisation_id', '=', fromId).execute()
}
