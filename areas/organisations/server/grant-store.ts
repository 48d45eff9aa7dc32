// Who has which role in which part of the tree.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { OrganisationTables } from './store.ts'

type GrantTables = OrganisationTables & {
  organisation_grants: { tenant_id: string; organisation_id: string; user_id: string; role_id: string; until: Date | null }
}

const tables = (db: Database) => db.withTables<GrantTables>()

export type GrantRow = {
  organisation_id: string
  user_id: string
  role_id: string
  until: Date | null
  path: string
  name: string
}

const current = ({ db, tenantId, now }: Tenancy) =>
  tables(db)
    .selectFrom('organisation_grants as grant')
    .innerJoin('organisations', (join) =>
      join.onRef('organisations.tenant_id', '=', 'grant.tenant_id').onRef('organisations.id', '=', 'grant.organisation_id'),
    )
    .select(['grant.organisation_id', 'grant.user_id', 'grant.role_id', 'grant.until', 'organisations.path', 'organisations.name'])
    .where('grant.tenant_id', '=', tenantId)
    .where((all) => all.or([all('grant.until', 'is', null), all('grant.until', '>', now)]))

/** What holds for a person now. */
export const listOfPerson = (tenancy: Tenancy, userId: string): Promise<GrantRow[]> =>
  current(tenancy).where('grant.user_id', '=', userId).execute()

/** What holds now by what stands at these paths, the root's first. */
export const listAtPaths = (tenancy: Tenancy, paths: readonly string[]): Promise<GrantRow[]> =>
  current(tenancy)
    .where('organisations.path', '=', sql<string>`any(${[...paths]}::text[])`)
    .orderBy('organisations.path')
    .orderBy('grant.user_id')
    .orderBy('grant.role_id')
    .limit(1_000)
    .execute()

export async function countOfRole({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, roleId: string): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('organisation_grants')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('role_id', '=', roleId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Who has a role in some part now. */
export async function listHolders(tenancy: Tenancy, roleId: string): Promise<string[]> {
  const rows = await current(tenancy).where('grant.role_id', '=', roleId).execute()
  return [...new Set(rows.map(({ user_id }) => user_id))]
}

export async function insertGrant(
  { db, tenantId }: Tenancy,
  grant: { organisationId: string; userId: string; roleId: string; until: Date | undefined },
): Promise<void> {
  const until = grant.until ?? null
  await tables(db)
    .insertInto('organisation_grants')
    .values({ tenant_id: tenantId, organisation_id: grant.organisationId, user_id: grant.userId, role_id: grant.roleId, until })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'organisation_id', 'user_id', 'role_id']).doUpdateSet({ until }))
    .execute()
}

/** Answers whether there was one. */
export async function deleteGrant(
  { db, tenantId }: Tenancy,
  { organisationId, userId, roleId }: { organisationId: string; userId: string; roleId: string },
): Promise<boolean> {
  const { numDeletedRows } = await tables(db)
    .deleteFrom('organisation_grants')
    .where('tenant_id', '=', tenantId)
    .where('organisation_id', '=', organisationId)
    .where('user_id', '=', userId)
    .where('role_id', '=', roleId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const deleteOfPerson = async ({ db, tenantId }: Pick<Tenancy, 'db' | 'tenantId'>, userId: string): Promise<void> =>
  void (await tables(db).deleteFrom('organisation_grants').where('tenant_id', '=', tenantId).where('user_id', '=', userId).execute())

/** Deletes what was given at an organisation: nobody has a role in what is no more. */
export const deleteOfOrganisation = async ({ db, tenantId }: Tenancy, organisationId: string): Promise<void> =>
  void (await tables(db)
    .deleteFrom('organisation_grants')
    .where('tenant_id', '=', tenantId)
    .where('organisation_id', '=', organisationId)
    .execute())
