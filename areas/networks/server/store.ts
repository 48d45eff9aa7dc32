// Subnets and addresses. What an address lies in is asked as first <= a and last >= a.

import { sql } from 'kysely'
import type { Generated } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { silentDays, type AddressState, type CellState } from '../rules.ts'

export type PrefixRecord = {
  tenant_id: string
  id: string
  space: string
  first: string
  last: string
  prefix_length: number
  parent_id: string | null
  kind: 'container' | 'network' | 'pool'
  name: string
  vlan_id: string | null
  location_id: string | null
  note: string
  /** Everything in it before this address is taken. */
  free_from: string | null
  version: number
}
export type AddressRecord = {
  tenant_id: string
  space: string
  address: string
  state: AddressState
  name: string
  mac: string
  device_id: string | null
  note: string
  seen_at: Date | null
  seen_mac: string
  reserved_until: Date | null
}
type NetworkTables = {
  network_trees: { tenant_id: string }
  ip_prefixes: Omit<PrefixRecord, 'version'> & { version: Generated<number> }
  ip_addresses: Omit<AddressRecord, 'seen_mac'> & { seen_mac: Generated<string> }
}
const tables = (db: Database) => db.withTables<NetworkTables>()

/** The range of a subnet in a space, as texts of addresses. */
export type Range = { space: string; first: string; last: string }

/** Holds the trees of the tenancy: whoever changes their shape or takes a free address comes after. */
export async function lockTrees({ db, tenantId }: Tenancy): Promise<void> {
  await tables(db)
    .insertInto('network_trees')
    .values({ tenant_id: tenantId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tables(db).selectFrom('network_trees').selectAll().where('tenant_id', '=', tenantId).forUpdate().executeTakeFirst()
}

/** In the order of the tree: an outer one stands before those in it. */
export const listPrefixes = ({ db, tenantId }: Tenancy): Promise<PrefixRecord[]> =>
  tables(db)
    .selectFrom('ip_prefixes')
    .selectAll()
    .select([sql<string>`host(first)`.as('first'), sql<string>`host(last)`.as('last'), sql<string | null>`host(free_from)`.as('free_from')])
    .where('tenant_id', '=', tenantId)
    .orderBy('space')
    .orderBy(sql`ip_prefixes.first`)
    .orderBy(sql`ip_prefixes.last`, 'desc')
    .execute()

const plainPrefix = (tenancy: Tenancy) =>
  tables(tenancy.db)
    .selectFrom('ip_prefixes')
    .selectAll()
    .select([sql<string>`host(first)`.as('first'), sql<string>`host(last)`.as('last'), sql<string | null>`host(free_from)`.as('free_from')])
    .where('tenant_id', '=', tenancy.tenantId)

export const findPrefix = (tenancy: Tenancy, id: string): Promise<PrefixRecord | undefined> =>
  plainPrefix(tenancy).where('id', '=', id).executeTakeFirst()

/** The nearest subnet around a range; the range itself where it is one. */
export const findAround = (tenancy: Tenancy, { space, first, last }: Range): Promise<PrefixRecord | undefined> =>
  plainPrefix(tenancy)
    .where('space', '=', space)
    .where(sql<boolean>`ip_prefixes.first <= ${first}::inet`)
    .where(sql<boolean>`ip_prefixes.last >= ${last}::inet`)
    .where(sql<boolean>`family(ip_prefixes.first) = family(${first}::inet)`)
    .orderBy('prefix_length', 'desc')
    .limit(1)
    .executeTakeFirst()

export async function countPrefixes({ db, tenantId }: Tenancy): Promise<number> {
  const { count } = await tables(db)
    .selectFrom('ip_prefixes')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Puts a subnet between the one around it and those that lie in it. */
export async function insertPrefix(
  { db, tenantId }: Tenancy,
  prefix: Omit<PrefixRecord, 'tenant_id' | 'version' | 'free_from'>,
): Promise<void> {
  await tables(db)
    .insertInto('ip_prefixes')
    .values({ tenant_id: tenantId, ...prefix })
    .execute()
  await tables(db)
    .updateTable('ip_prefixes')
    .set({ parent_id: prefix.id })
    .where('tenant_id', '=', tenantId)
    .where('space', '=', prefix.space)
    .where('id', '<>', prefix.id)
    .where('parent_id', prefix.parent_id === null ? 'is' : '=', prefix.parent_id)
    .where(sql<boolean>`first >= ${prefix.first}::inet and last <= ${prefix.last}::inet`)
    .where(sql<boolean>`family(first) = family(${prefix.first}::inet)`)
    .execute()
}

export const updatePrefix = async (
  { db, tenantId }: Tenancy,
  id: string,
  values: Pick<PrefixRecord, 'kind' | 'name' | 'vlan_id' | 'location_id' | 'note'>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('ip_prefixes')
    .set((all) => ({ ...values, version: all('version', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute())

/** Those in it go to the one above it. */
export async function deletePrefix({ db, tenantId }: Tenancy, id: string, parentId: string | null): Promise<void> {
  await tables(db)
    .updateTable('ip_prefixes')
    .set({ parent_id: parentId })
    .where('tenant_id', '=', tenantId)
    .where('parent_id', '=', id)
    .execute()
  await tables(db).deleteFrom('ip_prefixes').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
}

const inRange = ({ db, tenantId }: Tenancy, { space, first, last }: Range) =>
  tables(db)
    .selectFrom('ip_addresses')
    .where('ip_addresses.tenant_id', '=', tenantId)
    .where('ip_addresses.space', '=', space)
    .where(sql<boolean>`ip_addresses.address >= ${first}::inet and ip_addresses.address <= ${last}::inet`)

export async function countAddresses(tenancy: Tenancy, range: Range): Promise<{ used: number; unknown: number }> {
  const { used, unknown } = await inRange(tenancy, range)
    .select([
      sql<number>`count(*) filter (where state <> 'seen')`.as('used'),
      sql<number>`count(*) filter (where state = 'seen')`.as('unknown'),
    ])
    .executeTakeFirstOrThrow()
  return { used: Number(used), unknown: Number(unknown) }
}

const silentSince = (now: Date): Date => new Date(now.getTime() - silentDays * 86_400_000)

/** The state on the map, as `stateOf` of the rules decides it. */
const shownAs = (now: Date) => sql<Exclude<CellState, 'free'>>`case
  when state = 'seen' then 'unknown'
  when mac <> '' and seen_mac <> '' and mac <> seen_mac then 'conflict'
  when state = 'reserved' and seen_at is null then 'reserved'
  when seen_at is null or seen_at < ${silentSince(now)} then 'silent'
  else 'used' end`

/** Counts by cell and state; a cell is a subnet of a length. */
export async function countCells(
  tenancy: Tenancy,
  range: Range,
  cellLength: number,
): Promise<{ cell: string; shown: Exclude<CellState, 'free'>; count: number; name: string }[]> {
  const rows = await inRange(tenancy, range)
    .select([
      // Grouped as a number of the network, not as text, so that a /8 is grouped in memory and not sorted on disk.
      sql<string>`network(set_masklen(address, ${cellLength}::int))`.as('cell'),
      shownAs(tenancy.now).as('shown'),
      sql<number>`count(*)`.as('count'),
      sql<string>`min(name)`.as('name'),
    ])
    .groupBy([sql`1`, sql`2`])
    .execute()
  return rows.map((row) => ({ ...row, cell: row.cell.replace(/\/\d+$/, ''), count: Number(row.count) }))
}

export type AddressQuestion = {
  page: number
  size: number
  text: string
  sort?: 'address' | 'name' | 'seenAt' | undefined
  direction: 'asc' | 'desc'
  shown?: readonly string[] | undefined
}
const columns = { address: 'address', name: 'name', seenAt: 'seen_at' } as const

export async function findAddresses(
  tenancy: Tenancy,
  range: Range,
  { page, size, text, sort = 'address', direction, shown = [] }: AddressQuestion,
): Promise<{ rows: (AddressRecord & { shown: Exclude<CellState, 'free'> })[]; total: number }> {
  const typed = text.trim().toLowerCase()
  const found = inRange(tenancy, range)
    .$if(typed !== '', (query) =>
      query.where(sql<boolean>`(strpos(lower(name), ${typed}) > 0 or strpos(host(address), ${typed}) > 0 or strpos(mac, ${typed}) > 0)`),
    )
    .$if(shown.length > 0, (query) => query.where(sql<boolean>`${shownAs(tenancy.now)} = any(${[...shown]}::text[])`))
  const rows = await found
    .selectAll()
    .select([sql<string>`host(address)`.as('address'), shownAs(tenancy.now).as('shown')])
    .orderBy(sql.ref(`ip_addresses.${columns[sort]}`), (order) => (direction === 'asc' ? order.asc() : order.desc()).nullsLast())
    .orderBy(sql`ip_addresses.address`)
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  // A /8 may hold a million: counting them all takes as long as reading them all.
  const { total } = await tables(tenancy.db)
    .selectFrom(
      found
        .select('address')
        .limit(countedUpTo + 1)
        .as('found'),
    )
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total: Number(total) }
}

export const findAddress = (tenancy: Tenancy, space: string, address: string): Promise<AddressRecord | undefined> =>
  tables(tenancy.db)
    .selectFrom('ip_addresses')
    .selectAll()
    .select(sql<string>`host(address)`.as('address'))
    .where('tenant_id', '=', tenancy.tenantId)
    .where('space', '=', space)
    .where(sql<boolean>`address = ${address}::inet`)
    .executeTakeFirst()

/** The known addresses of a range behind one, in their order: between them are the free ones. */
export async function listTaken(tenancy: Tenancy, range: Range, from: string, most: number): Promise<string[]> {
  const rows = await inRange(tenancy, { ...range, first: from })
    .select(sql<string>`host(address)`.as('address'))
    .orderBy(sql`ip_addresses.address`)
    .limit(most)
    .execute()
  return rows.map(({ address }) => address)
}

type AddressValues = Pick<AddressRecord, 'state' | 'name' | 'mac' | 'device_id' | 'note'> & { reserved_until?: Date | null }

/** Writes who has an address; what was seen there stays. */
export const insertAddresses = async (
  { db, tenantId }: Tenancy,
  rows: readonly (AddressValues & { space: string; address: string; seen_at?: Date; seen_mac?: string })[],
): Promise<void> => {
  for (let from = 0; from < rows.length; from += 2_000)
    await tables(db)
      .insertInto('ip_addresses')
      .values(rows.slice(from, from + 2_000).map((row) => ({ seen_at: null, reserved_until: null, ...row, tenant_id: tenantId })))
      .onConflict((conflict) =>
        conflict.columns(['tenant_id', 'space', 'address']).doUpdateSet((all) => ({
          state: all.ref('excluded.state'),
          name: all.ref('excluded.name'),
          mac: all.ref('excluded.mac'),
          device_id: all.ref('excluded.device_id'),
          note: all.ref('excluded.note'),
          reserved_until: all.ref('excluded.reserved_until'),
        })),
      )
      .execute()
}

/** What was seen at addresses; those that nobody has written are there from now on as seen. */
export const insertSeen = async ({ db, tenantId, now }: Tenancy, space: string, addresses: readonly string[]): Promise<void> => {
  if (addresses.length > 0)
    await tables(db)
      .insertInto('ip_addresses')
      .values(
        addresses.map((address) => ({
          tenant_id: tenantId,
          space,
          address,
          state: 'seen' as const,
          name: '',
          mac: '',
          device_id: null,
          note: '',
          seen_at: now,
          reserved_until: null,
        })),
      )
      .onConflict((conflict) => conflict.columns(['tenant_id', 'space', 'address']).doUpdateSet({ seen_at: now }))
      .execute()
}

/** Under the lock of the trees: who looks for a free address must not pass by it. */
export const deleteAddress = async (tenancy: Tenancy, space: string, address: string): Promise<void> => {
  await tables(tenancy.db)
    .deleteFrom('ip_addresses')
    .where('tenant_id', '=', tenancy.tenantId)
    .where('space', '=', space)
    .where(sql<boolean>`address = ${address}::inet`)
    .execute()
  await updateFreed(tenancy, [{ space, address }])
}

/** Ends reservations that nobody used, under the lock of the trees. */
export const deleteExpired = async (tenancy: Tenancy): Promise<void> => {
  const freed = await tables(tenancy.db)
    .deleteFrom('ip_addresses')
    .where('tenant_id', '=', tenancy.tenantId)
    .where('state', '=', 'reserved')
    .where('reserved_until', '<=', tenancy.now)
    .returning(['space', sql<string>`host(address)`.as('address')])
    .execute()
  await updateFreed(tenancy, freed)
}

/** What was freed is found again: each subnet around it is looked at from there. */
async function updateFreed({ db, tenantId }: Tenancy, freed: readonly { space: string; address: string }[]): Promise<void> {
  if (freed.length === 0) return
  const rows = sql`unnest(${freed.map(({ space }) => space)}::text[], ${freed.map(({ address }) => address)}::inet[]) as freed (space, address)`
  await sql`
    update ip_prefixes set free_from = (
      select min(freed.address) from ${rows} where freed.space = ip_prefixes.space and freed.address >= first and freed.address <= last)
    where tenant_id = ${tenantId} and free_from is not null and exists (
      select from ${rows} where freed.space = ip_prefixes.space and freed.address >= first and freed.address < free_from)`.execute(db)
}

/** What `nextFree` has found. */
export const updateFreeFrom = async ({ db, tenantId }: Tenancy, id: string, address: string): Promise<void> =>
  void (await sql`update ip_prefixes set free_from = ${address}::inet where tenant_id = ${tenantId} and id = ${id}`.execute(db))

export async function countOf({ db, tenantId }: Tenancy, column: 'vlan_id' | 'location_id'): Promise<Map<string, number>> {
  const rows = await tables(db)
    .selectFrom('ip_prefixes')
    .select((all) => [`${column} as of`, all.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenantId)
    .where(column, 'is not', null)
    .groupBy(column)
    .execute()
  return new Map(rows.map((row) => [row.of ?? '', Number(row.count)]))
}
