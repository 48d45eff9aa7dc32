// The inventory as a list: a filter becomes one query, and pages, counts and facets are cut from it. Text is found by explicit ranges of words,
// because under row security no index serves LIKE.

import { sql, type RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { Statement } from '#core/server/batch.ts'
import type { Database } from '#core/server/database.ts'
import { holdReason } from '#standards/crl/reasons.ts'
import { expiringDays, expiryWindows, readSpan, recentDays, type CertificateStatus } from '../../rules.ts'
import type { CertificateFilter } from '../../shapes.ts'
import { spanText } from '../../weeks.ts'
import { tables, type CertificateRecord } from '../store.ts'
import { cellColumns, fittingCells, hasTraits, isHeld } from './count-store.ts'
import type { CellRow } from './counts.ts'
import { hitsOf, mostHits } from './found-store.ts'
import { certificateTerms, ownerTerm, tagTerm } from './search-terms.ts'

/** `traits`: the numbers that the filters by traits come to, where they are known, so that an index finds them. */
export type InventoryFilter = z.output<typeof CertificateFilter> & { text: string; traits?: readonly number[] }

/** The words that a text stands for, and the marked ones by which a tag and an owner are found. */
export const termsOfFilter = ({ text, tag, owner }: Pick<InventoryFilter, 'text' | 'tag' | 'owner'>): string[] => [
  ...(tag === undefined ? [] : [tagTerm(tag)]),
  ...(owner === undefined ? [] : [ownerTerm(owner)]),
  ...certificateTerms(text),
]

const day = 86_400_000
const inDays = (now: Date, days: number) => new Date(now.getTime() + days * day)

/** `recent` as the stretch of time that it means now. */
export const settled = ({ recent, ...filter }: InventoryFilter, now: Date): InventoryFilter =>
  recent === undefined || filter.issued !== undefined
    ? filter
    : { ...filter, issued: spanText({ from: inDays(now, -recentDays[recent]), until: inDays(now, 1) }) }

const spanColumns = { ends: 'not_after', issued: 'issued_at', revoked: 'revoked_at' } as const

/** Whether what a text finds leads to the certificates, or each certificate of the list is looked up in it: as a test, which the planner does not turn round. */
type Way = 'fromHits' | 'alongList'

/** The certificates that a filter finds, as a query to be cut from. */
export const matchingCertificates = (db: Database, tenantId: string, asked: InventoryFilter, now: Date, way: Way = 'fromHits') => {
  const filter = settled(asked, now)
  let query = tables(db).selectFrom('certificates').where('certificates.tenant_id', '=', tenantId)
  for (const term of termsOfFilter(filter))
    query = query.where(
      way === 'fromHits'
        ? sql<boolean>`certificates.id in (${hitsOf(tenantId, term)})`
        : sql<boolean>`(certificates.id in (${hitsOf(tenantId, term)})) is true`,
    )
  const { status, templateId, caId, expires } = filter
  if (status !== undefined && status.length > 0) {
    const soon = inDays(now, expiringDays)
    query = query.where((all) => {
      const valid = [all('revoked_at', 'is', null), all('not_before', '<=', now)]
      // `certificateStatus` as conditions. By the index of those on hold, so that the rows of all others need not be read for their reason.
      const held = [all('revoked_at', 'is not', null), isHeld(tenantId)]
      const of = {
        onHold: () => all.and([all('revoked_at', 'is not', null), all('revocation_reason', '=', holdReason), all('not_after', '>=', now)]),
        revoked: () => all.and([all('revoked_at', 'is not', null), sql<boolean>`not ${isHeld(tenantId)}`]),
        pending: () => all.and([all('revoked_at', 'is', null), all('not_before', '>', now)]),
        expired: () => all.and([all('not_after', '<', now), all.or([all.and(valid), all.and(held)])]),
        expiring: () => all.and([...valid, isStillNeeded, all('not_after', '>=', now), all('not_after', '<=', soon)]),
        active: () =>
          all.and([...valid, all('not_after', '>=', now), all.or([all('not_after', '>', soon), sql<boolean>`not ${isStillNeeded}`])]),
      } satisfies Record<CertificateStatus, () => unknown>
      return all.or(status.map((name) => of[name]()))
    })
  }
  if (templateId !== undefined && templateId.length > 0) query = query.where('template_id', 'in', [...templateId])
  if (caId !== undefined && caId.length > 0) query = query.where('ca_id', 'in', [...caId])
  if (expires !== undefined)
    query = query
      .where('revoked_at', 'is', null)
      .where(isStillNeeded)
      .where('not_after', '>=', now)
      .where('not_after', '<=', inDays(now, expiryWindows[expires]))
  if (filter.traits !== undefined) query = query.where(sql<boolean>`traits = any(${[...filter.traits]}::bigint[])`)
  return query.where(hasTraits(filter)).where(isInSpans(filter))
}

/** No other has taken its place. */
const isStillNeeded = sql<boolean>`(renewed_by is null and replaced_at is null)`

/** The stretches of time that a filter names, as a condition; true where it names none. */
export function isInSpans(filter: Pick<InventoryFilter, keyof typeof spanColumns>): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = filter.ends === undefined ? [] : [sql`revoked_at is null`, isStillNeeded]
  for (const name of Object.keys(spanColumns) as (keyof typeof spanColumns)[]) {
    const span = readSpan(filter[name] ?? '')
    if (span !== undefined)
      conditions.push(sql`${sql.ref(spanColumns[name])} >= ${span.from} and ${sql.ref(spanColumns[name])} < ${span.until}`)
  }
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
}

/** As the indexes have them, so that a page is read along one: `ties` is the direction of the ids beside that of the column. */
export const sortColumns = {
  name: { by: 'lower(name)', ties: 'same' },
  notAfter: { by: 'not_after', ties: 'same' },
  issuedAt: { by: 'issued_at', ties: 'other' },
  serialNumber: { by: 'serial_hex', ties: 'same' },
} as const
export type InventorySort = keyof typeof sortColumns

export type Listed = Omit<CertificateRecord, 'certificate'>
/** All columns but the bytes. */
export const listed = [
  'tenant_id',
  'id',
  'ca_id',
  'ca_name',
  'serial_hex',
  'request_id',
  'template_id',
  'template_name',
  'class',
  'entity',
  'name',
  'subject',
  'sans',
  'email',
  'holder_user_id',
  'holder',
  'device_name',
  'device_serial',
  'requester_id',
  'requester',
  'friendly_name',
  'contact_email',
  'renewal_mode',
  'revocation_approvers',
  'not_before',
  'not_after',
  'issued_at',
  'revoked_at',
  'revocation_reason',
  'fingerprint_sha256',
  'notices_sent',
  'renewed_by',
  'replaced_at',
  'owner_user_id',
  'owner',
  'tags',
  'traits',
] as const satisfies readonly (keyof Listed)[]

/** What a row of the list shows. */
export type ListRow = Pick<Listed, (typeof rowColumns)[number]>
export const rowColumns = [
  'id',
  'ca_id',
  'ca_name',
  'serial_hex',
  'name',
  'subject',
  'sans',
  'email',
  'template_id',
  'template_name',
  'class',
  'holder',
  'device_name',
  'not_before',
  'not_after',
  'issued_at',
  'revoked_at',
  'revocation_reason',
  'renewed_by',
  'replaced_at',
  'owner_user_id',
  'owner',
  'tags',
  'traits',
] as const satisfies readonly (keyof Listed)[]

export type PageAsked = { page: number; size: number; sort: InventorySort; direction: 'asc' | 'desc' }

const otherWay = { asc: 'desc', desc: 'asc' } as const

export const orderOf = ({ sort, direction }: Pick<PageAsked, 'sort' | 'direction'>) => {
  const { by, ties } = sortColumns[sort]
  return { by: sql<string>`${sql.raw(by)}`, direction, ties: ties === 'same' ? direction : otherWay[direction] }
}

/** Where it is known how many there are, a page in the second half is counted from the end. */
function cutOf({ page, size }: Pick<PageAsked, 'page' | 'size'>, total: number | undefined) {
  const before = (page - 1) * size
  const behind = (total ?? 0) - before - size
  const fromEnd = total !== undefined && before > behind
  return { fromEnd, limit: fromEnd ? size + Math.min(0, behind) : size, offset: fromEnd ? Math.max(0, behind) : before }
}

/** First the ids, which an index alone tells where nothing else is asked: the rows that are passed over are not read. */
export async function inventoryPage(
  db: Database,
  tenantId: string,
  filter: InventoryFilter,
  asked: PageAsked,
  now: Date,
  total?: number,
  way?: Way,
): Promise<ListRow[]> {
  const { by, direction, ties } = orderOf(asked)
  const { fromEnd, limit, offset } = cutOf(asked, total)
  const page = matchingCertificates(db, tenantId, filter, now, way)
    .select('certificates.id')
    .orderBy(by, fromEnd ? otherWay[direction] : direction)
    .orderBy('certificates.id', fromEnd ? otherWay[ties] : ties)
    .limit(limit)
    .offset(offset)
  return tables(db)
    .selectFrom('certificates')
    .select(rowColumns)
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', page)
    .orderBy(by, direction)
    .orderBy('id', ties)
    .execute()
}

/** The same of all certificates: a statement that the database plans once. */
export function pageOfAll(tenantId: string, asked: PageAsked, total?: number): Statement {
  const { direction, ties } = orderOf(asked)
  const { fromEnd, limit, offset } = cutOf(asked, total)
  const { by } = sortColumns[asked.sort]
  const [inner, innerTies] = fromEnd ? [otherWay[direction], otherWay[ties]] : [direction, ties]
  return {
    name: `certificates-${asked.sort}-${direction}${fromEnd ? '-end' : ''}`,
    text: `select ${rowColumns.join(', ')} from certificates where tenant_id = $1 and id in (
      select id from certificates where tenant_id = $1 order by ${by} ${inner}, id ${innerTies} limit $2 offset $3
    ) order by ${by} ${direction}, id ${ties}`,
    values: [tenantId, limit, offset],
  }
}

/** `first_end`: of those of the cell. */
type HitCell = CellRow & { first_end: string }
/** `version` and `changed` are those of the counters (count-store.ts). */
export type Hits = { found: number; version: string | null; changed: boolean; cells: HitCell[] | null; ids: string[] }

/** What terms and stretches of time find, up to one past `mostHits`; where it is no more than that, with its cells and a page of it. */
export async function readHits(
  db: Database,
  tenantId: string,
  filter: InventoryFilter,
  terms: readonly string[],
  asked: PageAsked,
  now: Date,
): Promise<Hits | undefined> {
  const { by, direction, ties } = orderOf(asked)
  const hits =
    terms.length === 0
      ? sql`select id from certificates where tenant_id = ${tenantId} and ${isInSpans(filter)}`
      : sql.join(
          terms.map((term) => sql`select id from (${hitsOf(tenantId, term)}) as hits`),
          sql` intersect `,
        )
  const { rows } = await sql<Hits>`
    with found as materialized (select id from (${hits}) as hits limit ${sql.lit(mostHits + 1)}),
    base as materialized (
      -- By an array, which is put in order, the index is gone through once; a join would look into it for each.
      select id, ${by} as place, not_after, ${cellColumns(tenantId, now)} from certificates
      where tenant_id = ${tenantId} and id = any(array(select id from found where (select count(*) from found) <= ${sql.lit(mostHits)})) and ${isInSpans(filter)}
    )
    select
      (select count(*)::int from found) as found,
      (select version from certificate_count_versions where tenant_id = ${tenantId}) as version,
      exists (select from certificate_count_changes where tenant_id = ${tenantId}) as changed,
      (select json_agg(cells) from (select template_id, ca_id, state, stretch, traits, count(*) as count, min(not_after) as first_end from base group by 1, 2, 3, 4, 5) as cells) as cells,
      array(select id from base where ${fittingCells(filter)} order by place ${sql.raw(direction)}, id ${sql.raw(ties)} limit ${asked.size} offset ${(asked.page - 1) * asked.size}) as ids`.execute(
    db,
  )
  return rows[0]
}

/** These certificates, in the order given. */
export async function listedOf(db: Database, tenantId: string, ids: readonly string[]): Promise<ListRow[]> {
  if (ids.length === 0) return []
  const rows = new Map(
    (
      await tables(db)
        .selectFrom('certificates')
        .select(rowColumns)
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()
    ).map((row) => [row.id, row]),
  )
  return ids.flatMap((id) => rows.get(id) ?? [])
}

/** Counted among the certificates themselves, up to one past the cap. */
export async function countMatching(db: Database, tenantId: string, filter: InventoryFilter, now: Date): Promise<number> {
  const some = matchingCertificates(db, tenantId, filter, now)
    .select('certificates.id')
    .limit(mostHits + 1)
  const counted = await db
    .selectFrom(some.as('some'))
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirst()
  return Number(counted?.total ?? 0)
}

/** Valid certificates that end by `until` and have none in their place yet, for the notices before expiry: in the order of their ends, from behind one of them. */
export const endingBy = (
  db: Database,
  tenantId: string,
  now: Date,
  until: Date,
  after: Pick<Listed, 'not_after' | 'id'> | undefined,
): Promise<Listed[]> => {
  const query = tables(db)
    .selectFrom('certificates')
    .select(listed)
    .where('tenant_id', '=', tenantId)
    .where('revoked_at', 'is', null)
    .where(isStillNeeded)
    .where('not_after', '>=', after?.not_after ?? now)
    .where('not_after', '<=', until)
  const left =
    after === undefined ? query : query.where((all) => all.or([all('not_after', '>', after.not_after), all('id', '>', after.id)]))
  return left.orderBy('not_after').orderBy('id').limit(500).execute()
}

/** Whole records that a text finds, the last to end first. */
export const certificatesNamed = (db: Database, tenantId: string, text: string, most: number, now: Date): Promise<CertificateRecord[]> =>
  matchingCertificates(db, tenantId, { text }, now)
    .selectAll('certificates')
    .orderBy('not_after', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()
