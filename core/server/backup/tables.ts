// What is in the database, read from its own catalogue: every table of ours, its columns' order of dependence, and whether its rows belong
// to tenants. A room that has rows which a backup should leave out (sessions, counted attempts) says so in the table's comment, beside its definition.

import type pg from 'pg'

export type BackupTable = {
  name: string
  ofTenants: boolean
  primaryKey: readonly string[]
  /** Its rows point to one another, so all of a tenancy go in by one statement. */
  pointsToItself: boolean
}

/** A table with this comment is left out: what is in it does not outlive the moment. */
const omitted = 'backup: left out'

/** Those that others point to first. */
export async function tablesToBackUp(client: pg.ClientBase): Promise<BackupTable[]> {
  const { rows } = await client.query<{ name: string; of_tenants: boolean; primary_key: string[]; points_to: string[] }>(
    `select class.relname as name,
       exists (select from pg_attribute where attrelid = class.oid and attname = 'tenant_id' and relrowsecurity) as of_tenants,
       coalesce((select array_agg(attname::text order by place) from pg_index, unnest(indkey::int2[]) with ordinality as columns (number, place), pg_attribute
         where indrelid = class.oid and indisprimary and attrelid = class.oid and attnum = number and place <= indnkeyatts), '{}') as primary_key,
       coalesce((select array_agg(distinct confrelid::regclass::text) from pg_constraint where conrelid = class.oid and contype = 'f'), '{}') as points_to
     from pg_class class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'migrations'
       and obj_description(class.oid, 'pg_class') is distinct from $1
     order by class.relname`,
    [omitted],
  )
  const sorted: BackupTable[] = []
  const left = new Map(rows.map((row) => [row.name, row]))
  while (left.size > 0) {
    const free = [...left.values()].filter(({ name, points_to }) => points_to.every((target) => target === name || !left.has(target)))
    if (free.length === 0) throw new Error(`These tables point to each other in a circle: ${[...left.keys()].join(', ')}`)
    for (const { name, of_tenants, primary_key, points_to } of free) {
      sorted.push({ name, ofTenants: of_tenants, primaryKey: primary_key, pointsToItself: points_to.includes(name) })
      left.delete(name)
    }
  }
  return sorted
}

/** Names come from the catalogue, and are quoted all the same. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const enterTenantOn = (client: pg.ClientBase, tenantId: string) =>
  client.query(`select set_config('chancery.tenant', $1, true)`, [tenantId])

/**
 * Names the tenancies whose rows are read one after the other, because row security holds this role; undefined alone where it does not, and all rows
 * are read in one pass. Events may stand under an id that no tenancy has, and the auditor sees those.
 */
export async function tenantsToVisit(client: pg.ClientBase): Promise<readonly (string | undefined)[]> {
  const { rows } = await client.query<{ passes: boolean }>(
    'select rolsuper or rolbypassrls as passes from pg_roles where rolname = current_user',
  )
  if (rows[0]?.passes === true) return [undefined]
  const tenancies = await client.query<{ id: string }>('select id from tenancies')
  await client.query('set local role chancery_auditor')
  const events = await client.query<{ id: string }>('select distinct tenant_id as id from events')
  await client.query('reset role')
  return [...new Set([...tenancies.rows, ...events.rows].map(({ id }) => id))].toSorted()
}

/** Counts the rows of a table, of all tenancies. */
export async function countRows(
  client: pg.ClientBase,
  { name, ofTenants }: BackupTable,
  tenants: readonly (string | undefined)[],
): Promise<number> {
  let sum = 0
  for (const tenantId of ofTenants ? tenants : [undefined]) {
    if (tenantId !== undefined) await enterTenantOn(client, tenantId)
    const { rows } = await client.query<{ count: number | string }>(
      `select count(*) as count from ${quoted(name)}${tenantId === undefined ? '' : ' where tenant_id = $1'}`,
      tenantId === undefined ? [] : [tenantId],
    )
    sum += Number(rows[0]?.count)
  }
  return sum
}
