// Counts the certificates of each kind from stored counters (migration 0008), so that a list costs the same however many certificates there are. The
// counters know whole days. A stretch begins and ends at a moment, so this file counts the certificates themselves for the days on which a stretch begins
// or ends, and for those that are not valid yet. The numbers are exact.
//
// Caches the sums of the counters, with the moments at which the certificates of those days end. The cache is valid for one version of the counters.
// Later changes are rows of the table of changes, and a day that is named there is read again. One statement reads all of that.

import { sql, type RawBuilder } from 'kysely'
import { dayText } from '#core/contract/days.ts'
import { runStatement, type Rows, type Statement } from '#core/server/batch.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import type { TenancyTurn } from '#core/server/serve.ts'
import { holdReason } from '#standards/crl/reasons.ts'
import { certificateStatuses, type CertificateStatus } from '../../rules.ts'
import { keyCode, lintCode, sourceCode, traitMasks, traitPlaces, usageBit, type TraitFilter } from '../../traits.ts'
import { tables } from '../store.ts'
import {
  fits,
  later,
  limitsAt,
  none,
  readCell,
  states,
  statusOf,
  stretches,
  totalOf,
  type Cell,
  type CellRow,
  type CountedFilter,
} from './counts.ts'

/** Where a statement that only reads is sent: in a breath of its own (`house.batches`), or in the transaction that is open. */
export type Reader = (statement: Statement) => Promise<Rows>
export const inTransaction =
  (db: Database): Reader =>
  (statement) =>
    runStatement(db, statement)

/** The certificates of one template and authority that end on one day (UTC) and are not revoked: moments as milliseconds. */
type Ending = { day: string; template_id: string; ca_id: string; state: number; traits: number; ends: number[] }
type Settled = { version: string; days: string; cells: Cell[]; /** By day. */ endings: Map<string, Ending[]> }

const remembered = new Map<string, Settled>()
const mostRemembered = 2_000
/** Caches nothing of a day on which more certificates end, to bound the memory. */
const mostEndings = 5_000

// $1 tenancy, $2 the days in which a stretch ends, $3 where stretches begin, $4 now, $5 those of the days that must be read again.
const counted = (table: 'certificate_counts' | 'certificate_count_changes') => `
  select template_id, ca_id, case when revoked then ${states.indexOf('revoked')} when replaced then ${states.indexOf('replaced')} else ${states.indexOf('valid')} end, width_bucket(ends_on, $2::date[]), traits, count::int from ${table}
  where tenant_id = $1 and (revoked or ends_on <> all($2::date[]))`
const isReplaced = '(renewed_by is not null or replaced_at is not null)'
const unrevoked = `case when ${isReplaced} then ${states.indexOf('replaced')} else ${states.indexOf('valid')} end`
const coalesced = `coalesce(template_id, '${none}') as template_id, coalesce(ca_id, '${none}') as ca_id`
// Names the end of the stretch, because without one the planner expects a third of all rows and reads the whole table.
const pending = (condition: string) => `
  select ${coalesced}, case when step.state = ${states.indexOf('valid')} then ${unrevoked} when ${isReplaced} then ${states.indexOf('pendingReplaced')} else step.state end, width_bucket(not_after, $3::timestamptz[]), traits, step.count from certificates, (values (${states.indexOf('pending')}, 1), (${states.indexOf('valid')}, -1)) as step (state, count)
  where tenant_id = $1 and revoked_at is null and not_before > $4 and not_before <= 'infinity' and ${condition}`
// Reads the certificates on hold one by one, because the counters know them only as revoked. People put them on hold by hand, so they are few.
const onHold = `
  select ${coalesced}, step.state, width_bucket(not_after, $3::timestamptz[]), traits, step.count from certificates, (values (${states.indexOf('onHold')}, 1), (${states.indexOf('revoked')}, -1)) as step (state, count)
  where tenant_id = $1 and revocation_reason = '${holdReason}' and revoked_at is not null`
// Reads each day by itself (offset 0), because for a join the planner expects half of the table and reads all of it.
const onDays = (most = '') => `touched, lateral (
    select template_id, ca_id, not_after, renewed_by, replaced_at, traits from certificates
    where tenant_id = $1 and not_after >= touched.day::timestamp at time zone 'UTC' and not_after < (touched.day + 1)::timestamp at time zone 'UTC' and revoked_at is null offset 0 ${most}
  ) as ending`
const summed = (parts: string) => `(
  select coalesce(json_agg(cells), '[]') from (select template_id, ca_id, state, stretch, traits, sum(count) as count from (${parts}) as parts (template_id, ca_id, state, stretch, traits, count) group by 1, 2, 3, 4, 5) as cells
)`
const asked = `
  with touched as materialized (
    select day from unnest($2::date[]) as days (day) where day = any($5::date[]) or exists (select from certificate_count_changes where tenant_id = $1 and ends_on = day)
  )
  select (select version from certificate_count_versions where tenant_id = $1) as version, (select coalesce(json_agg(day), '[]') from touched) as touched,
    exists (select from certificate_count_changes where tenant_id = $1) as changed, ${summed(`
    ${counted('certificate_count_changes')}
    union all select ${coalesced}, ${unrevoked}, width_bucket(not_after, $3::timestamptz[]), traits, 1 from ${onDays()}
    union all ${onHold}
    union all ${pending('not_before > issued_at and issued_at <= $4')}
    union all ${pending(`issued_at > $4 and issued_at <= 'infinity'`)}`)} as moving`
const askedWhole = `${asked}, ${summed(counted('certificate_counts'))} as settled, (
  select coalesce(json_agg(endings), '[]') from (
    select day, ${coalesced}, ${unrevoked} as state, traits, array_agg(floor(extract(epoch from not_after) * 1000)::bigint) as ends from ${onDays(`limit ${mostEndings + 1}`)} group by 1, 2, 3, 4, 5
  ) as endings
) as endings`

type Moving = { version: string | null; touched: string[]; changed: boolean; moving: CellRow[] }

/** Lists the cells. One cell may stand in several rows, also with a negative count. `steady` is the version of the counters where nothing has changed since: while it stays the same, nothing has been issued or revoked. */
export type Counts = { cells: Cell[]; steady: string | undefined }
export const steadyOf = ({ version, changed }: { version: string | null; changed: boolean }): string | undefined =>
  changed ? undefined : (version ?? undefined)

/** Counts all certificates of the tenancy. */
export async function countsOf(read: Reader, tenantId: string, now: Date): Promise<Counts> {
  const limits = limitsAt(now)
  const days = limits.map(dayText)
  // A certificate is valid up to its last moment: but for the first, a stretch begins behind its limit, a microsecond as times are kept.
  const begins = limits.map((limit, at) => (at === 0 ? limit.toISOString() : limit.toISOString().replace('Z', '001Z')))
  const values = (touched: readonly string[]) => [tenantId, days, begins, now, touched]
  const known = remembered.get(tenantId)
  if (known?.days === days.join()) {
    const [moved] = (await read({
      name: 'certificate-counts',
      text: asked,
      values: values(days.filter((day) => !known.endings.has(day))),
    })) as readonly Moving[]
    if (moved?.version === known.version) {
      const endings = days.flatMap((day) => (moved.touched.includes(day) ? [] : endingCells(known.endings.get(day) ?? [], limits)))
      return { cells: [...known.cells, ...together([...moved.moving, ...endings])], steady: steadyOf(moved) }
    }
  }
  const [whole] = (await read({ name: 'certificate-counts-whole', text: askedWhole, values: values(days) })) as readonly (Moving & {
    settled: CellRow[]
    endings: Ending[]
  })[]
  if (whole === undefined) return { cells: [], steady: undefined }
  if (whole.version !== null) {
    if (remembered.size >= mostRemembered) remembered.clear()
    const endings = days.map((day) => [day, whole.endings.filter((ending) => ending.day === day)] as const)
    const few = endings.filter(([, some]) => some.reduce((total, { ends }) => total + ends.length, 0) <= mostEndings)
    remembered.set(tenantId, { version: whole.version, days: days.join(), cells: together(whole.settled), endings: new Map(few) })
  }
  return { cells: together([...whole.settled, ...whole.moving]), steady: steadyOf(whole) }
}

export const cellsOf = async (read: Reader, tenantId: string, now: Date): Promise<Cell[]> => (await countsOf(read, tenantId, now)).cells

/** Puts the cached moments into the stretches, as the statement does with the rows. */
const endingCells = (endings: readonly Ending[], limits: readonly Date[]): CellRow[] => {
  const [now = 0, ...others] = limits.map(Number)
  return endings.flatMap(({ template_id, ca_id, state, traits, ends }) => {
    const counts = stretches.map(() => 0)
    for (const end of ends) {
      const at = end < now ? 0 : others.findIndex((limit) => end <= limit) + 1
      const stretch = end >= now && at === 0 ? stretches.length - 1 : at
      counts[stretch] = (counts[stretch] ?? 0) + 1
    }
    return counts.flatMap((count, stretch) => (count === 0 ? [] : [{ template_id, ca_id, state, stretch, traits, count }]))
  })
}

function together(rows: readonly CellRow[]): Cell[] {
  const cells = new Map<string, Cell>()
  for (const row of rows) {
    const key = `${row.template_id} ${row.ca_id} ${row.state} ${row.stretch} ${row.traits}`
    const same = cells.get(key)
    if (same === undefined) cells.set(key, readCell(row))
    else same.count += Number(row.count)
  }
  return [...cells.values()].filter(({ count }) => count !== 0)
}

const place = (state: (typeof states)[number]) => sql.lit(states.indexOf(state))

/** The place in `stretches` of a certificate by its `not_after`. It is valid up to its last moment: the first stretch is past without it, the others have theirs. */
const stretchAt = (now: Date) => {
  const [first, ...others] = limitsAt(now)
  return sql<number>`case when not_after < ${first} then 0 ${sql.join(
    others.map((limit, at) => sql`when not_after <= ${limit} then ${sql.lit(at + 1)}`),
    sql` `,
  )} else ${sql.lit(stretches.length - 1)} end`
}

/** By their own index (migration 0012): a reason stands in none of the others, and the rows lie far apart. */
export const isHeld = (tenantId: string) =>
  sql<boolean>`certificates.id in (select held.id from certificates as held where held.tenant_id = ${tenantId} and held.revocation_reason = ${sql.lit(holdReason)})`

/** The columns of a certificate that make its cell, for `readCell`. */
export const cellColumns = (tenantId: string, now: Date) => sql`
  coalesce(template_id, ${none}::uuid) as template_id, coalesce(ca_id, ${none}::uuid) as ca_id,
  case when revoked_at is not null then case when ${isHeld(tenantId)} then ${place('onHold')} else ${place('revoked')} end when not_before > ${now} then case when ${sql.raw(isReplaced)} then ${place('pendingReplaced')} else ${place('pending')} end when ${sql.raw(isReplaced)} then ${place('replaced')} else ${place('valid')} end as state, ${stretchAt(now)} as stretch, traits`

/** The filters by traits, as a condition on `traits`; true where there are none. */
export function hasTraits({ key = [], source = [], usage = [], lint = [] }: TraitFilter) {
  const part = (name: 'key' | 'source' | 'lint', codes: readonly number[]) =>
    sql`((traits >> ${sql.lit(traitPlaces[name])}) & ${sql.lit(traitMasks[name])}) = any(${[...codes]}::bigint[])`
  const known = (condition: RawBuilder<unknown>) => sql`(traits <> 0 and ${condition})`
  const conditions = [
    ...(key.length === 0 ? [] : [part('key', key.map(keyCode))]),
    ...(source.length === 0 ? [] : [known(part('source', source.map(sourceCode)))]),
    ...(lint.length === 0 ? [] : [known(part('lint', lint.map(lintCode)))]),
    ...(usage.length === 0
      ? []
      : [sql`((traits >> ${sql.lit(traitPlaces.usages)}) & ${sql.lit(usage.reduce((sum, name) => sum + usageBit(name), 0))}) <> 0`]),
  ]
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
}

/** What `fits` says of a cell, as a condition on `cellColumns`. */
export function fittingCells(filter: CountedFilter) {
  const { status = [], templateId = [], caId = [], expires } = filter
  const conditions = [sql`true`, hasTraits(filter)]
  if (templateId.length > 0) conditions.push(sql`template_id = any(${[...templateId]}::uuid[])`)
  if (caId.length > 0) conditions.push(sql`ca_id = any(${[...caId]}::uuid[])`)
  if (status.length > 0 || expires !== undefined) {
    const kinds = states.flatMap((state) =>
      stretches.map((ends, stretch) => ({
        state,
        stretch,
        cell: { templateId: undefined, caId: undefined, state, ends, traits: 0, count: 0 },
      })),
    )
    const fitting = kinds.filter(({ cell }) => fits(cell, { status, expires }))
    conditions.push(
      sql`(state, stretch) in (${sql.join([sql`(-1, 0)`, ...fitting.map(({ state, stretch }) => sql`(${place(state)}, ${sql.lit(stretch)})`)])})`,
    )
  }
  return sql<boolean>`${sql.join(conditions, sql` and `)}`
}

/** How many certificates have each status. */
export async function countByStatus(db: Database, tenantId: string, now: Date): Promise<Record<CertificateStatus, number>> {
  const cells = await cellsOf(inTransaction(db), tenantId, now)
  return Object.fromEntries(certificateStatuses.map((status) => [status, totalOf(cells, { status: [status] })])) as Record<
    CertificateStatus,
    number
  >
}

/** How many certificates of each authority have each status. */
export async function countByAuthority(
  db: Database,
  tenantId: string,
  now: Date,
): Promise<Map<string, Partial<Record<CertificateStatus, number>>>> {
  const counts = new Map<string, Partial<Record<CertificateStatus, number>>>()
  for (const cell of await cellsOf(inTransaction(db), tenantId, now)) {
    if (cell.caId === undefined) continue
    const before = counts.get(cell.caId)
    counts.set(cell.caId, { ...before, [statusOf(cell)]: (before?.[statusOf(cell)] ?? 0) + cell.count })
  }
  return counts
}

/** Where this many days have gone by, nobody asks for the day any more: only that it is past. */
const daysCached = 60

/** Job: adds up what has changed. A count is the same before and after. */
export const addUpCounts = ({ house, tenantId }: TenancyTurn): Promise<void> =>
  inTenant(house.database, tenantId, (db) => addUp(db, tenantId, dayText(later(house.now(), -daysCached))))

async function addUp(db: Database, tenantId: string, past: string): Promise<void> {
  const some = await tables(db)
    .selectFrom('certificate_count_changes')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .limit(1)
    .executeTakeFirst()
  if (some === undefined) return
  // One at a time: two that add up at once would wait for one another's rows.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`counts:${tenantId}`}, 0))`.execute(db)
  const put = (taken: 'certificate_counts' | 'certificate_count_changes', condition: ReturnType<typeof sql>, on: ReturnType<typeof sql>) =>
    sql`
    with taken as (delete from ${sql.table(taken)} where tenant_id = ${tenantId} and ${condition} returning *)
    insert into certificate_counts (tenant_id, ends_on, revoked, replaced, template_id, ca_id, traits, count)
    select tenant_id, ${on}, revoked, replaced, template_id, ca_id, traits, sum(count) from taken group by 1, 2, 3, 4, 5, 6, 7 order by 2, 3, 4, 5, 6, 7
    on conflict (tenant_id, ends_on, revoked, replaced, template_id, ca_id, traits) do update set count = certificate_counts.count + excluded.count`.execute(
      db,
    )
  const yearOf = sql`date_trunc('year', ends_on::timestamp)::date`
  // Long past by the database's clock, too: a clock that was ahead for a while must not have put days to come together.
  const isPast = sql`ends_on < least(${past}::date, current_date - ${sql.lit(daysCached)})`
  await put('certificate_count_changes', sql`true`, sql`case when ${isPast} then ${yearOf} else ends_on end`)
  await put('certificate_counts', sql`${isPast} and ends_on <> ${yearOf}`, yearOf)
  await sql`insert into certificate_count_versions (tenant_id, version) values (${tenantId}, gen_random_uuid()) on conflict (tenant_id) do update set version = excluded.version`.execute(
    db,
  )
}
