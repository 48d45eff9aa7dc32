// Questions about how people came to be, for the dashboard. Each reads one index from a day on, or ten rows.

import { sql, type RawBuilder } from 'kysely'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { LinkState, Origin } from '../creation.ts'

export type Made = { day: string; status: 'active' | 'invited' | 'disabled'; origin: Origin; count: number }

/** How many were made on each day since a moment, by how they came and what they are now. */
export async function countMade({ db, tenantId }: Tenancy, since: Date): Promise<Made[]> {
  const { rows } = await sql<Made>`
    select to_char(day, 'YYYY-MM-DD') as day,
      case when not enabled then 'disabled' when waits then 'invited' else 'active' end as status, origin, count
    from (
      select (created_at at time zone 'UTC')::date as day, enabled, activated_at is null as waits, origin, count(*)::int as count
      from users where tenant_id = ${tenantId} and created_at >= ${since}
      group by 1, 2, 3, 4) as made`.execute(db)
  return rows
}

/** Of those who were made since a moment and have yet to activate: whose link is over, and who has none. */
export async function countWithoutLink({ db, tenantId, now }: Tenancy, since: Date): Promise<Record<LinkState, number>> {
  const { rows } = await sql<Record<LinkState, number>>`
    select (count(*) filter (where links.expires_at <= ${now}))::int as lapsed,
      (count(*) filter (where links.user_id is null))::int as none
    from users left join activation_links links on links.tenant_id = ${tenantId} and links.user_id = users.id
    where users.tenant_id = ${tenantId} and users.created_at >= ${since} and users.enabled and users.activated_at is null`.execute(db)
  return rows[0] ?? { lapsed: 0, none: 0 }
}

export type Waiting = {
  id: string
  given_name: string
  family_name: string
  email_address: string
  origin: Origin
  created_at: Date
  expires_at: Date | null
}

/** Those who have waited longest to activate, whenever they were made. */
export async function longestWaiting({ db, tenantId }: Tenancy, most: number): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select users.id, given_name, family_name, email_address, origin, created_at, links.expires_at
    from users left join activation_links links on links.tenant_id = ${tenantId} and links.user_id = users.id
    where users.tenant_id = ${tenantId} and users.enabled and users.activated_at is null
    order by users.created_at, users.id limit ${most}`.execute(db)
  return rows
}

/** As a part of another question: the ids of those who were made in some days, came in some way, or whose link is not good any more. */
export function idsMade(
  tenantId: string,
  { from, until, origin }: { from?: Date | undefined; until?: Date | undefined; origin?: Origin | undefined },
): RawBuilder<string> {
  const parts = [
    sql<boolean>`tenant_id = ${tenantId}`,
    ...(from === undefined ? [] : [sql<boolean>`created_at >= ${from}`]),
    ...(until === undefined ? [] : [sql<boolean>`created_at < ${until}`]),
    ...(origin === undefined ? [] : [sql<boolean>`origin = ${origin}`]),
  ]
  return sql<string>`(select id from users where ${sql.join(parts, sql` and `)})`
}

export const idsWithoutLink = (tenantId: string, state: LinkState, now: Date): RawBuilder<string> =>
  sql<string>`(select waiting.id from users waiting
    left join activation_links links on links.tenant_id = ${tenantId} and links.user_id = waiting.id
    where waiting.tenant_id = ${tenantId} and waiting.enabled and waiting.activated_at is null
      and ${state === 'lapsed' ? sql<boolean>`links.expires_at <= ${now}` : sql<boolean>`links.user_id is null`})`
