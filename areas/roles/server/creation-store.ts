// Questions for the dashboard of role creation. Who has a role is counted along its index, and no list is longer than `most`.

import { sql } from 'kysely'
import type { Tenancy } from '#core/server/tenancy.ts'

export type LookedAt = {
  id: string
  name: string
  built_in: string | null
  api: string[]
  created_at: Date | null
  created_by: string
  people: number
  /** How many there are in all. */
  total: number
}

const columns = sql`roles.id, roles.name, roles.built_in, roles.api, roles.created_at, roles.created_by`

/** Own roles that nobody has, those first that have been there longest. */
export async function rolesOfNobody({ db, tenantId }: Tenancy, most: number): Promise<LookedAt[]> {
  const { rows } = await sql<LookedAt>`
    select ${columns}, 0 as people, (count(*) over ())::int as total from roles
    where tenant_id = ${tenantId} and built_in is null and not exists (
      select from role_members members where members.tenant_id = ${tenantId} and members.role_id = roles.id)
    order by created_at nulls first, id limit ${most}`.execute(db)
  return rows
}

/** Own roles that were made since a moment, the newest first. */
export async function rolesMadeSince({ db, tenantId }: Tenancy, since: Date, most: number): Promise<LookedAt[]> {
  const { rows } = await sql<LookedAt>`
    select ${columns}, counted.people, found.total from (
      select id as role_id, (count(*) over ())::int as total from roles
      where tenant_id = ${tenantId} and built_in is null and created_at >= ${since}
      order by created_at desc, id desc limit ${most}) found
    join roles on roles.tenant_id = ${tenantId} and roles.id = found.role_id
    cross join lateral (select count(*)::int as people from role_members members
      where members.tenant_id = ${tenantId} and members.role_id = roles.id) counted
    order by created_at desc, id desc`.execute(db)
  return rows
}

/** Roles that grant one of these calls and that so many people have, those of most people first. */
export async function rolesOfMany(
  { db, tenantId }: Tenancy,
  permissions: readonly string[],
  many: number,
  most: number,
): Promise<LookedAt[]> {
  const { rows } = await sql<LookedAt>`
    select ${columns}, counted.people, (count(*) over ())::int as total from roles
    cross join lateral (select count(*)::int as people from role_members members
      where members.tenant_id = ${tenantId} and members.role_id = roles.id) counted
    where tenant_id = ${tenantId} and api && ${[...permissions]}::text[] and counted.people >= ${many}
    order by counted.people desc, roles.name limit ${most}`.execute(db)
  return rows
}
