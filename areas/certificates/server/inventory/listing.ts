// A page of the inventory with its total and the counts beside its filters, each from where it is cheapest: the kept counters where only what they count is
// filtered by; a list of hits where there is a text or a stretch of time; and along the list itself where a text finds more than that.

import type { Database } from '#core/server/database.ts'
import { traitFilterNames, type TraitFilter } from '../../traits.ts'
import { cellsOf, countsOf, inTransaction, steadyOf, type Reader } from './count-store.ts'
import { facetsOf, fits, nextCrossing, readCell, sum, totalOf, type Cell, type CountedFilter } from './counts.ts'
import { findsTooMany, isFoundBy, mostHits, termsByRarity } from './found-store.ts'
import {
  countMatching,
  inventoryPage,
  listedOf,
  matchingCertificates,
  orderOf,
  pageOfAll,
  readHits,
  settled,
  termsOfFilter,
  type InventoryFilter,
  type ListRow,
  type PageAsked,
} from './inventory-store.ts'

type Facets = Record<keyof CountedFilter, Record<string, number>>
export type InventoryAnswer = {
  rows: ListRow[]
  total: number
  more: boolean
  /** None where the text finds too many. */ facets: Facets | undefined
}

/** Where it is asked: statements that only read, each by itself, and a transaction for what takes several. */
export type Source = { read: Reader; within<T>(work: (db: Database) => Promise<T>): Promise<T> }

/** All in the transaction that is open. */
export const asOne = (db: Database): Source => ({ read: inTransaction(db), within: (work) => work(db) })

const hasSpans = ({ ends, issued, revoked }: InventoryFilter): boolean =>
  ends !== undefined || issued !== undefined || revoked !== undefined
const isNarrowed = ({ status = [], templateId = [], caId = [], expires, ...filter }: CountedFilter): boolean =>
  status.length + templateId.length + caId.length > 0 || expires !== undefined || asksForTraits(filter)
const asksForTraits = (filter: TraitFilter): boolean => traitFilterNames.some((name) => (filter[name] ?? []).length > 0)

export function listInventory(
  source: Source,
  tenantId: string,
  asks: InventoryFilter,
  asked: PageAsked,
  now: Date,
): Promise<InventoryAnswer> {
  const filter = settled(asks, now)
  return termsOfFilter(filter).length === 0 && !hasSpans(filter)
    ? listCounted(source, tenantId, filter, asked, now)
    : listFound(source, tenantId, filter, asked, now)
}

/** So many rows are passed over as quickly as it is found out how many there are. */
const near = 1_000

async function listCounted(
  { read, within }: Source,
  tenantId: string,
  filter: InventoryFilter,
  asked: PageAsked,
  now: Date,
): Promise<InventoryAnswer> {
  const pageOf = async (total?: number, traits?: readonly number[]) =>
    isNarrowed(filter)
      ? await within((db) => inventoryPage(db, tenantId, traits === undefined ? filter : { ...filter, traits }, asked, now, total))
      : ((await read(pageOfAll(tenantId, asked, total))) as readonly Record<string, unknown>[] as ListRow[])
  const before = (asked.page - 1) * asked.size
  // Of what is narrowed there may be nothing to look for.
  const atOnce = !isNarrowed(filter) && before < near ? pageOf() : undefined
  const [cells, rows] = await Promise.all([cellsOf(read, tenantId, now), atOnce])
  const total = totalOf(cells, filter)
  // The kinds that there are, so that an index leads to them.
  const traits = asksForTraits(filter) ? [...new Set(cells.filter((cell) => fits(cell, filter)).map((cell) => cell.traits))] : undefined
  return { rows: rows ?? (total <= before ? [] : await pageOf(total, traits)), total, more: false, facets: facetsOf(cells, filter) }
}

async function listFound(source: Source, tenantId: string, filter: InventoryFilter, asked: PageAsked, now: Date): Promise<InventoryAnswer> {
  const cached = hasSpans(filter) ? undefined : await cachedAnswer(source.read, tenantId, termsOfFilter(filter), now)
  return source.within(async (db) => {
    if (cached !== undefined) {
      const total = totalOf(cached.cells, filter)
      const walked = (cached.among / Math.max(1, total)) * Math.min(asked.page * asked.size, total)
      if (walked <= soonFull)
        return {
          rows: await inventoryPage(db, tenantId, filter, asked, now, total, 'alongList'),
          total,
          more: false,
          facets: facetsOf(cached.cells, filter),
        }
    }
    const terms = await termsByRarity(db, tenantId, termsOfFilter(filter))
    const [rarest] = terms
    const found =
      rarest !== undefined && rarest.hits > mostHits
        ? undefined
        : await cutHits(
            db,
            tenantId,
            filter,
            terms.map(({ term }) => term),
            asked,
            now,
          )
    if (found !== undefined) return found
    if (rarest !== undefined && terms.length === 1) findsTooMany(tenantId, rarest.term)
    const total = isNarrowed(filter) || terms.length > 1 || hasSpans(filter) ? await countMatching(db, tenantId, filter, now) : mostHits + 1
    const rows =
      rarest === undefined
        ? undefined
        : await walkTo(
            db,
            tenantId,
            filter,
            terms.map(({ term }) => term),
            asked,
            now,
          )
    return {
      rows: rows ?? (await inventoryPage(db, tenantId, filter, asked, now)),
      total: Math.min(total, mostHits),
      more: total > mostHits,
      facets: undefined,
    }
  })
}

/**
 * Caches the counts of a text search, because they are costly. They are valid while the stored counters have the version `steady`, from the time of the
 * search (`from`) until the first certificate moves to another cell by time alone (`until`). Counts with a certificate on hold are not cached, because the
 * counters do not change when a hold becomes a revocation, nor counts with one that is not valid yet, because `until` regards ends only.
 */
type CachedCounts = { steady: string; from: number; until: number; cells: Cell[] }
const cache = new Map<string, CachedCounts>()
const mostCached = 500
/** A term may have spaces in it. */
const keyOf = (tenantId: string, terms: readonly string[]): string => [tenantId, ...terms].join('\n')
const worthCaching = 100

async function cachedAnswer(
  read: Reader,
  tenantId: string,
  terms: readonly string[],
  now: Date,
): Promise<(CachedCounts & { among: number }) | undefined> {
  const key = keyOf(tenantId, terms)
  const cached = cache.get(key)
  if (cached === undefined) return undefined
  const { cells, steady } = await countsOf(read, tenantId, now)
  if (cached.steady === steady && now.getTime() >= cached.from && now.getTime() < cached.until) return { ...cached, among: sum(cells) }
  cache.delete(key)
  return undefined
}

function cacheAnswer(tenantId: string, terms: readonly string[], cached: CachedCounts): void {
  if (cache.size >= mostCached) cache.clear()
  cache.set(keyOf(tenantId, terms), cached)
}

/** Of a list of at most `mostHits`; undefined where there are more, and then none is made. */
async function cutHits(
  db: Database,
  tenantId: string,
  filter: InventoryFilter,
  terms: readonly string[],
  asked: PageAsked,
  now: Date,
): Promise<InventoryAnswer | undefined> {
  const answer = await readHits(db, tenantId, filter, terms, asked, now)
  if (answer === undefined || answer.found > mostHits) return undefined
  const read = answer.cells ?? []
  const cells = read.map(readCell)
  const steady = steadyOf(answer)
  if (
    steady !== undefined &&
    answer.found >= worthCaching &&
    !hasSpans(filter) &&
    cells.every(({ state }) => state !== 'pending' && state !== 'pendingReplaced' && state !== 'onHold')
  )
    cacheAnswer(tenantId, termsOfFilter(filter), {
      steady,
      cells,
      from: now.getTime(),
      until: nextCrossing(read.map(({ stretch, first_end: end }) => ({ stretch, at: Date.parse(end) }))),
    })
  return { rows: await listedOf(db, tenantId, answer.ids), total: totalOf(cells, filter), more: false, facets: facetsOf(cells, filter) }
}

/** The text finds so many that the page is soon full. Where it is not, because of the other filters or because it is far behind, the database does it. */
const walkedAtMost = 20_000
const firstStep = 200
/** Where so many of the list must be looked up, they are rather put in order. */
const soonFull = 5_000

const searched = [
  'id',
  'name',
  'subject',
  'email',
  'holder',
  'device_name',
  'device_serial',
  'friendly_name',
  'sans',
  'serial_hex',
  'fingerprint_sha256',
  'owner',
  'owner_user_id',
  'tags',
] as const

const withoutTerms = ({ tag: _tag, owner: _owner, ...filter }: InventoryFilter): InventoryFilter => ({ ...filter, text: '' })

async function walkTo(
  db: Database,
  tenantId: string,
  filter: InventoryFilter,
  terms: readonly string[],
  asked: PageAsked,
  now: Date,
): Promise<ListRow[] | undefined> {
  const { by, direction, ties } = orderOf(asked)
  const last = asked.page * asked.size
  const ids: string[] = []
  for (let walked = 0, step = firstStep; walked < walkedAtMost; walked += step, step = Math.min(step * 3, walkedAtMost - walked)) {
    const rows = await matchingCertificates(db, tenantId, withoutTerms(filter), now)
      .select(searched)
      .orderBy(by, direction)
      .orderBy('id', ties)
      .limit(step)
      .offset(walked)
      .execute()
    for (const row of rows) if (ids.length < last && isFoundBy(row, terms)) ids.push(row.id)
    if (ids.length >= last || rows.length < step) return listedOf(db, tenantId, ids.slice(last - asked.size, last))
  }
  return undefined
}

/** How many there are; by a text or a stretch of time counted up to one past the cap. */
export const countCertificates = async (db: Database, tenantId: string, filter: InventoryFilter, now: Date): Promise<number> =>
  termsOfFilter(filter).length === 0 && !hasSpans(settled(filter, now))
    ? totalOf(await cellsOf(inTransaction(db), tenantId, now), filter)
    : countMatching(db, tenantId, filter, now)
