// A page of the inventory with its total and the counts beside its filters, each from where it is cheapest: the kept counters where only what they count is
// filtered by; a list of hits where there is a text or a stretch of time; and along the list itself where a text finds more than that.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { cellColumns, cellsOf, facetsOf, fittingCells, readCell, totalOf, type CellRow, type CountedFilter } from './counts.ts'
import { hitsOf, isFoundBy, mostHits, termsByRarity } from './found.ts'
import { countMatching, inventoryPage, isInSpans, listedOf, matchingCertificates, orderOf, type InventoryFilter, type Listed, type PageAsked } from './inventory.ts'

type Facets = Record<keyof CountedFilter, Record<string, number>>
export type InventoryAnswer = { rows: Listed[]; total: number; more: boolean; /** None where the text finds too many. */ facets: Facets | undefined }

const hasSpans = ({ ends, issued, revoked }: InventoryFilter): boolean => ends !== undefined || issued !== undefined || revoked !== undefined
const isNarrowed = ({ status = [], templateId = [], caId = [], expires }: CountedFilter): boolean => status.length + templateId.length + caId.length > 0 || expires !== undefined

export async function listInventory(db: Database, tenantId: string, filter: InventoryFilter, asked: PageAsked, now: Date): Promise<InventoryAnswer> {
  const terms = await termsByRarity(db, tenantId, filter.text)
  const [rarest] = terms
  if (rarest === undefined && !hasSpans(filter)) {
    const cells = await cellsOf(db, tenantId, now)
    const total = totalOf(cells, filter)
    return { rows: total <= (asked.page - 1) * asked.size ? [] : await inventoryPage(db, tenantId, filter, asked, now, total), total, more: false, facets: facetsOf(cells, filter) }
  }
  const found = rarest !== undefined && rarest.hits > mostHits ? undefined : await cutHits(db, tenantId, filter, terms.map(({ term }) => term), asked, now)
  if (found !== undefined) return found
  const total = isNarrowed(filter) || terms.length > 1 || hasSpans(filter) ? await countMatching(db, tenantId, filter, now) : mostHits + 1
  const rows = rarest === undefined ? undefined : await walkTo(db, tenantId, filter, terms.map(({ term }) => term), asked, now)
  return { rows: rows ?? (await inventoryPage(db, tenantId, filter, asked, now)), total: Math.min(total, mostHits), more: total > mostHits, facets: undefined }
}

/** Of a list of at most `mostHits`; undefined where there are more. */
async function cutHits(db: Database, tenantId: string, filter: InventoryFilter, terms: readonly string[], asked: PageAsked, now: Date): Promise<InventoryAnswer | undefined> {
  const { by, direction, ties } = orderOf(asked)
  const hits = terms.length === 0 ? sql`select id from certificates where tenant_id = ${tenantId} and ${isInSpans(filter)}` : sql.join(terms.map((term) => sql`select id from (${hitsOf(tenantId, term)}) as hits`), sql` intersect `)
  const { rows } = await sql<{ cells: CellRow[] | null; ids: string[] | null }>`
    with hits as materialized (select distinct id from (select id from (${hits}) as hits limit ${sql.lit(mostHits + 1)}) as hits),
    base as materialized (
      select certificates.id, ${by} as place, ${cellColumns(now)} from hits join certificates on certificates.tenant_id = ${tenantId} and certificates.id = hits.id where ${isInSpans(filter)}
    )
    select
      (select json_agg(cells) from (select template_id, ca_id, state, stretch, count(*) as count from base group by 1, 2, 3, 4) as cells) as cells,
      (select array_agg(id order by position) from (
        select id, row_number() over (order by place ${sql.raw(direction)}, id ${sql.raw(ties)}) as position from base where ${fittingCells(filter)} order by 2 limit ${asked.size} offset ${(asked.page - 1) * asked.size}
      ) as page) as ids`.execute(db)
  const cells = (rows[0]?.cells ?? []).map(readCell)
  if (totalOf(cells, {}) > mostHits) return undefined
  return { rows: await listedOf(db, tenantId, rows[0]?.ids ?? []), total: totalOf(cells, filter), more: false, facets: facetsOf(cells, filter) }
}

/** The text finds so many that the page is soon full. Where it is not, because of the other filters or because it is far behind, the database does it. */
const walkedAtMost = 20_000
const firstStep = 200

const searched = ['id', 'name', 'email', 'holder', 'device_name', 'device_serial', 'friendly_name', 'sans', 'serial_hex', 'fingerprint_sha256'] as const

async function walkTo(db: Database, tenantId: string, filter: InventoryFilter, terms: readonly string[], asked: PageAsked, now: Date): Promise<Listed[] | undefined> {
  const { by, direction, ties } = orderOf(asked)
  const last = asked.page * asked.size
  const ids: string[] = []
  for (let walked = 0, step = firstStep; walked < walkedAtMost; walked += step, step = Math.min(step * 3, walkedAtMost - walked)) {
    const rows = await matchingCertificates(db, tenantId, { ...filter, text: '' }, now).select(searched).orderBy(by, direction).orderBy('id', ties).limit(step).offset(walked).execute()
    for (const row of rows) if (isFoundBy(row, terms)) ids.push(row.id)
    if (ids.length >= last || rows.length < step) return listedOf(db, tenantId, ids.slice(last - asked.size, last))
  }
  return undefined
}

/** How many there are; by a text or a stretch of time counted up to one past the cap. */
export const countCertificates = async (db: Database, tenantId: string, filter: InventoryFilter, now: Date): Promise<number> =>
  filter.text === '' && !hasSpans(filter) ? totalOf(await cellsOf(db, tenantId, now), filter) : countMatching(db, tenantId, filter, now)
