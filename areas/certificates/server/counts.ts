// How many certificates there are of each kind, from counters that are kept (migration 0008) and not from the certificates: by template, authority, and the
// stretch of time in which they end. The counters know days. A stretch begins and ends at a moment, so the days in which one does are counted
// among the certificates themselves, as are those that are not valid yet. The numbers are exact, however many there are.

import { sql } from 'kysely'
import { inTenant, type Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import { certificateStatuses, expiryWindows, type CertificateStatus, type ExpiryWindow } from '../rules.ts'
import { tables } from './store.ts'

const stretches = ['past', ...(Object.keys(expiryWindows) as ExpiryWindow[]), 'later'] as const
type Stretch = (typeof stretches)[number]
const states = ['valid', 'pending', 'revoked'] as const
const place = (state: (typeof states)[number]) => sql.lit(states.indexOf(state))

/** So many certificates are alike in what a list can be filtered by. */
export type Cell = { templateId: string | undefined; caId: string | undefined; state: (typeof states)[number]; ends: Stretch; count: number }

/** What `cellsOf` can answer for: a text or a stretch of one's own needs the certificates themselves. */
export type CountedFilter = { status?: readonly CertificateStatus[] | undefined; templateId?: readonly string[] | undefined; caId?: readonly string[] | undefined; expires?: ExpiryWindow | undefined }

const day = 86_400_000
const none = '00000000-0000-0000-0000-000000000000'
/** As the counters write it, in UTC. */
const dayOf = (at: Date): string => at.toISOString().slice(0, 10)
const later = (at: Date, days: number) => new Date(at.getTime() + days * day)

/** The moments at which the stretches end, the first being now. */
const limitsAt = (now: Date): Date[] => [now, ...Object.values(expiryWindows).map((days) => later(now, days))]

/** The place in `stretches` of a certificate by its `not_after`. It is valid up to its last moment: the first stretch is past without it, the others have theirs. */
const stretchAt = (now: Date) => {
  const [first, ...others] = limitsAt(now)
  return sql<number>`case when not_after < ${first} then 0 ${sql.join(others.map((limit, at) => sql`when not_after <= ${limit} then ${sql.lit(at + 1)}`), sql` `)} else ${sql.lit(stretches.length - 1)} end`
}

/** A cell as the database writes it: places in `states` and `stretches`. */
export type CellRow = { template_id: string; ca_id: string; state: number; stretch: number; count: number }

type Settled = { version: string; days: string; cells: CellRow[] }

/** What the added-up counters came to, by tenancy. It holds as long as its version does, which is asked each time: losing it costs a few milliseconds. */
const remembered = new Map<string, Settled>()
const mostRemembered = 2_000

/** All certificates of the tenancy. */
export async function cellsOf(db: Database, tenantId: string, now: Date): Promise<Cell[]> {
  const limits = limitsAt(now)
  const days = limits.map(dayOf)
  const dayLimits = sql`case when ends_on < ${days[0]}::date then 0 ${sql.join(days.slice(1).map((limit, at) => sql`when ends_on < ${limit}::date then ${sql.lit(at + 1)}`), sql` `)} else ${sql.lit(stretches.length - 1)} end`
  const counted = (table: 'certificate_counts' | 'certificate_count_changes') => sql`
    select template_id, ca_id, case when revoked then ${place('revoked')} else ${place('valid')} end as state, ${dayLimits} as stretch, count::int from ${sql.table(table)}
    where tenant_id = ${tenantId} and (revoked or ends_on <> all(${days}::date[]))`
  const pending = (condition: ReturnType<typeof sql>) => sql`
    select coalesce(template_id, ${none}::uuid), coalesce(ca_id, ${none}::uuid), step.state, ${stretchAt(now)}, step.count from certificates, (values (${place('pending')}, 1), (${place('valid')}, -1)) as step (state, count)
    where tenant_id = ${tenantId} and revoked_at is null and not_before > ${now} and ${condition}`
  const moving = sql`
    ${counted('certificate_count_changes')}
    union all select coalesce(template_id, ${none}::uuid), coalesce(ca_id, ${none}::uuid), ${place('valid')}, stretch, 1
      from unnest(${days.map((date) => `${date}T00:00:00Z`)}::timestamptz[]) as limits (day), lateral (
        select template_id, ca_id, ${stretchAt(now)} as stretch from certificates where tenant_id = ${tenantId} and not_after >= limits.day and not_after < limits.day + interval '24 hours' and revoked_at is null
        -- Each day by itself: of a join with the days the planner expects half the table, and reads all of it.
        offset 0
      ) as on_day
    union all ${pending(sql`not_before > issued_at and issued_at <= ${now}`)}
    union all ${pending(sql`issued_at > ${now}`)}`
  const summed = (parts: ReturnType<typeof sql>) => sql`(
    select coalesce(json_agg(cells), '[]') from (select template_id, ca_id, state, stretch, sum(count) as count from (${parts}) as parts (template_id, ca_id, state, stretch, count) group by 1, 2, 3, 4) as cells
  )`
  const version = sql`(select version from certificate_count_versions where tenant_id = ${tenantId})`
  const known = remembered.get(tenantId)
  if (known?.days === days.join()) {
    // Version and the rest in one statement, so that they belong together.
    const { rows } = await sql<{ version: string | null; moving: CellRow[] }>`select ${version} as version, ${summed(moving)} as moving`.execute(db)
    if (rows[0]?.version === known.version) return together([...known.cells, ...rows[0].moving])
  }
  const { rows } = await sql<{ version: string | null; settled: CellRow[]; moving: CellRow[] }>`select ${version} as version, ${summed(counted('certificate_counts'))} as settled, ${summed(moving)} as moving`.execute(db)
  const [read] = rows
  if (read === undefined) return []
  if (read.version !== null) {
    if (remembered.size >= mostRemembered) remembered.clear()
    remembered.set(tenantId, { version: read.version, days: days.join(), cells: read.settled })
  }
  return together([...read.settled, ...read.moving])
}

function together(rows: readonly CellRow[]): Cell[] {
  const cells = new Map<string, Cell>()
  for (const row of rows) {
    const key = `${row.template_id} ${row.ca_id} ${row.state} ${row.stretch}`
    const same = cells.get(key)
    if (same === undefined) cells.set(key, readCell(row))
    else same.count += Number(row.count)
  }
  return [...cells.values()].filter(({ count }) => count !== 0)
}

export const readCell = ({ template_id, ca_id, state, stretch, count }: CellRow): Cell => ({
  templateId: template_id === none ? undefined : template_id,
  caId: ca_id === none ? undefined : ca_id,
  state: states[state] ?? 'valid',
  ends: stretches[stretch] ?? 'later',
  count: Number(count),
})

/** The columns of a certificate that make its cell, for `readCell`. */
export const cellColumns = (now: Date) => sql`
  coalesce(template_id, ${none}::uuid) as template_id, coalesce(ca_id, ${none}::uuid) as ca_id,
  case when revoked_at is not null then ${place('revoked')} when not_before > ${now} then ${place('pending')} else ${place('valid')} end as state, ${stretchAt(now)} as stretch`

const statusOfStretch: Record<Stretch, CertificateStatus> = { past: 'expired', week: 'expiring', month: 'expiring', quarter: 'active', year: 'active', later: 'active' }

const statusOf = ({ state, ends }: Cell): CertificateStatus => (state === 'valid' ? statusOfStretch[ends] : state)

const isIn = (cell: Cell, window: ExpiryWindow): boolean => cell.state !== 'revoked' && cell.ends !== 'past' && stretches.indexOf(cell.ends) <= stretches.indexOf(window)

const tests: { readonly [F in keyof CountedFilter]-?: (cell: Cell, filter: CountedFilter) => boolean } = {
  status: (cell, { status = [] }) => status.length === 0 || status.includes(statusOf(cell)),
  templateId: ({ templateId }, { templateId: wanted = [] }) => wanted.length === 0 || (templateId !== undefined && wanted.includes(templateId)),
  caId: ({ caId }, { caId: wanted = [] }) => wanted.length === 0 || (caId !== undefined && wanted.includes(caId)),
  expires: (cell, { expires }) => expires === undefined || isIn(cell, expires),
}
const filterNames = Object.keys(tests) as (keyof CountedFilter)[]

const fits = (cell: Cell, filter: CountedFilter, but?: keyof CountedFilter): boolean => filterNames.every((name) => name === but || tests[name](cell, filter))

/** The same as a condition on `cellColumns`. */
export function fittingCells(filter: CountedFilter) {
  const { status = [], templateId = [], caId = [], expires } = filter
  const conditions = [sql`true`]
  if (templateId.length > 0) conditions.push(sql`template_id = any(${[...templateId]}::uuid[])`)
  if (caId.length > 0) conditions.push(sql`ca_id = any(${[...caId]}::uuid[])`)
  if (status.length > 0 || expires !== undefined) {
    const kinds = states.flatMap((state) => stretches.map((ends, stretch) => ({ state, stretch, cell: { templateId: undefined, caId: undefined, state, ends, count: 0 } })))
    const fitting = kinds.filter(({ cell }) => fits(cell, { status, expires }))
    conditions.push(sql`(state, stretch) in (${sql.join([sql`(-1, 0)`, ...fitting.map(({ state, stretch }) => sql`(${place(state)}, ${sql.lit(stretch)})`)])})`)
  }
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}

const sum = (cells: readonly Cell[]): number => cells.reduce((total, { count }) => total + count, 0)

export const totalOf = (cells: readonly Cell[], filter: CountedFilter): number => sum(cells.filter((cell) => fits(cell, filter)))

/** For each filter its values with the count that choosing one would show: the other filters hold, its own does not. */
export function facetsOf(cells: readonly Cell[], filter: CountedFilter): Record<keyof CountedFilter, Record<string, number>> {
  const facet = (name: keyof CountedFilter, values: readonly string[], valuesOf: (cell: Cell) => readonly (string | undefined)[]): Record<string, number> => {
    const counts: Record<string, number> = Object.fromEntries(values.map((value) => [value, 0]))
    for (const cell of cells) if (fits(cell, filter, name)) for (const value of valuesOf(cell)) if (value !== undefined) counts[value] = (counts[value] ?? 0) + cell.count
    return counts
  }
  const windows = Object.keys(expiryWindows) as ExpiryWindow[]
  return {
    status: facet('status', certificateStatuses, (cell) => [statusOf(cell)]),
    templateId: facet('templateId', filter.templateId ?? [], ({ templateId }) => [templateId]),
    caId: facet('caId', filter.caId ?? [], ({ caId }) => [caId]),
    expires: facet('expires', windows, (cell) => windows.filter((window) => isIn(cell, window))),
  }
}

/** How many certificates have each status. */
export async function countByStatus(db: Database, tenantId: string, now: Date): Promise<Record<CertificateStatus, number>> {
  const cells = await cellsOf(db, tenantId, now)
  const of = (status: CertificateStatus) => totalOf(cells, { status: [status] })
  return { active: of('active'), expiring: of('expiring'), expired: of('expired'), revoked: of('revoked'), pending: of('pending') }
}

/** How many certificates of each authority have each status. */
export async function countByAuthority(db: Database, tenantId: string, now: Date): Promise<Map<string, Partial<Record<CertificateStatus, number>>>> {
  const counts = new Map<string, Partial<Record<CertificateStatus, number>>>()
  for (const cell of await cellsOf(db, tenantId, now)) {
    if (cell.caId === undefined) continue
    const before = counts.get(cell.caId)
    counts.set(cell.caId, { ...before, [statusOf(cell)]: (before?.[statusOf(cell)] ?? 0) + cell.count })
  }
  return counts
}

/** Where this many days have gone by, nobody asks for the day any more: only that it is past. */
const daysKept = 60

/** Job: adds up what has changed. A count is the same before and after. */
export async function addUpCounts(house: House): Promise<void> {
  const past = dayOf(later(house.now(), -daysKept))
  for (const { id } of await listTenancies(house.database)) await inTenant(house.database, id, (db) => addUp(db, id, past))
}

async function addUp(db: Database, tenantId: string, past: string): Promise<void> {
  const some = await tables(db).selectFrom('certificate_count_changes').select('id').where('tenant_id', '=', tenantId).limit(1).executeTakeFirst()
  if (some === undefined) return
  // One at a time: two that add up at once would wait for one another's rows.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`counts:${tenantId}`}, 0))`.execute(db)
  const put = (taken: 'certificate_counts' | 'certificate_count_changes', condition: ReturnType<typeof sql>, on: ReturnType<typeof sql>) => sql`
    with taken as (delete from ${sql.table(taken)} where tenant_id = ${tenantId} and ${condition} returning *)
    insert into certificate_counts (tenant_id, ends_on, revoked, template_id, ca_id, count)
    select tenant_id, ${on}, revoked, template_id, ca_id, sum(count) from taken group by 1, 2, 3, 4, 5 order by 2, 3, 4, 5
    on conflict (tenant_id, ends_on, revoked, template_id, ca_id) do update set count = certificate_counts.count + excluded.count`.execute(db)
  const yearOf = sql`date_trunc('year', ends_on::timestamp)::date`
  // Long past by the database's clock, too: a clock that was ahead for a while must not have put days to come together.
  const isPast = sql`ends_on < least(${past}::date, current_date - ${sql.lit(daysKept)})`
  await put('certificate_count_changes', sql`true`, sql`case when ${isPast} then ${yearOf} else ends_on end`)
  await put('certificate_counts', sql`${isPast} and ends_on <> ${yearOf}`, yearOf)
  await sql`insert into certificate_count_versions (tenant_id, version) values (${tenantId}, gen_random_uuid()) on conflict (tenant_id) do update set version = excluded.version`.execute(db)
}
