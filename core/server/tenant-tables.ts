// Which tables hold rows of a tenancy, from the database's own catalogue, so that there is no second list: what an export takes along and what is removed with
// a tenancy are both read from here.

import { sql } from 'kysely'
import type { Database } from './database.ts'

export type TenantColumn = { name: string; type: string }
export type TenantTable = {
  name: string
  columns: readonly TenantColumn[]
  primaryKey: readonly string[]
  /** Its rows point to one another, so all of them go by one statement. */
  pointsToItself: boolean
  /** Somebody else than the tenancy reads it too: it is held by no row security. */
  ofInstallation: boolean
  /** What is in it does not outlive the moment. */
  passing: boolean
}

/** The tenancy itself is not among them. Those that point to others first, so that each can be emptied in this order. */
export async function tenantTables(db: Database): Promise<TenantTable[]> {
  const { rows } = await sql<{
    name: string
    columns: TenantColumn[]
    primary_key: string[]
    points_to: string[]
    secured: boolean
    passing: boolean
  }>`
    select class.relname as name, class.relrowsecurity as secured,
      coalesce(obj_description(class.oid, 'pg_class') = 'backup: left out', false) as passing,
      (select jsonb_agg(jsonb_build_object('name', attname, 'type', format_type(atttypid, null)) order by attnum) from pg_attribute
        where attrelid = class.oid and attnum > 0 and not attisdropped) as columns,
      coalesce((select array_agg(attname::text order by place) from pg_index, unnest(indkey::int2[]) with ordinality as keys (number, place), pg_attribute
        where indrelid = class.oid and indisprimary and attrelid = class.oid and attnum = number and place <= indnkeyatts), '{}') as primary_key,
      coalesce((select array_agg(distinct target.relname::text) from pg_constraint join pg_class target on target.oid = confrelid
        where conrelid = class.oid and contype = 'f'), '{}') as points_to
    from pg_class class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and exists (select from pg_attribute where attrelid = class.oid and attname = 'tenant_id' and not attisdropped)
    order by class.relname`.execute(db)
  const sorted: TenantTable[] = []
  const left = new Map(rows.map((row) => [row.name, row]))
  while (left.size > 0) {
    const pointedTo = new Set([...left.values()].flatMap(({ name, points_to }) => points_to.filter((target) => target !== name)))
    const free = [...left.values()].filter(({ name }) => !pointedTo.has(name))
    if (free.length === 0) throw new Error(`These tables point to each other in a circle: ${[...left.keys()].join(', ')}`)
    for (const { name, columns, primary_key, points_to, secured, passing } of free) {
      sorted.push({ name, columns, primaryKey: primary_key, pointsToItself: points_to.includes(name), ofInstallation: !secured, passing })
      left.delete(name)
    }
  }
  return sorted
}
