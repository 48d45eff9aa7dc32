// The inventory as a list: a filter becomes one query, and pages, counts and facets are cut from it. Text is found by explicit ranges of words,
// because under row security no index serves LIKE.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { prefixRange, searchTerms } from '#core/server/search-words.ts'
import { expiringDays, expiryWindows, normalSerial, readSpan, type CertificateStatus, type ExpiryWindow } from '../rules.ts'
import { tables, type CertificateRecord } from './store.ts'

export type InventoryFilter = {
  text: string
  status?: readonly CertificateStatus[] | undefined
  templateId?: readonly string[] | undefined
  caId?: readonly string[] | undefined
  expires?: ExpiryWindow | undefined
  /** Stretches of time, as `readSpan` reads them. */
  ends?: string | undefined
  issued?: string | undefined
  revoked?: string | undefined
}

/** Counts stop here; a list says "more". */
export const countedUpTo = 10_000

const day = 86_400_000
const inDays = (now: Date, days: number) => new Date(now.getTime() + days * day)

const spanColumns = { ends: 'not_after', issued: 'issued_at', revoked: 'revoked_at' } as const

/** The certificates that a filter finds, as a query to be cut from. */
export const matchingCertificates = (db: Database, tenantId: string, filter: InventoryFilter, now: Date) => {
  let query = tables(db).selectFrom('certificates').where('certificates.tenant_id', '=', tenantId)
  for (const term of searchTerms(filter.text)) {
    const { from, to } = prefixRange(normalSerial(term) !== undefined && /[:]/.test(term) ? (normalSerial(term) ?? term) : term)
    query = query.where(
      'certificates.id',
      'in',
      tables(db).selectFrom('certificate_words').select('certificate_id').where('certificate_words.tenant_id', '=', tenantId).where('word', '>=', from).where('word', '<', to),
    )
  }
  const { status, templateId, caId, expires } = filter
  if (status !== undefined && status.length > 0) {
    const soon = inDays(now, expiringDays)
    query = query.where((all) => {
      const valid = [all('revoked_at', 'is', null), all('not_before', '<=', now)]
      const of = {
        revoked: () => all('revoked_at', 'is not', null),
        pending: () => all.and([all('revoked_at', 'is', null), all('not_before', '>', now)]),
        expired: () => all.and([...valid, all('not_after', '<', now)]),
        expiring: () => all.and([...valid, all('not_after', '>=', now), all('not_after', '<=', soon)]),
        active: () => all.and([...valid, all('not_after', '>', soon)]),
      } satisfies Record<CertificateStatus, () => unknown>
      return all.or(status.map((name) => of[name]()))
    })
  }
  if (templateId !== undefined && templateId.length > 0) query = query.where('template_id', 'in', [...templateId])
  if (caId !== undefined && caId.length > 0) query = query.where('ca_id', 'in', [...caId])
  if (expires !== undefined) query = query.where('revoked_at', 'is', null).where('not_after', '>=', now).where('not_after', '<=', inDays(now, expiryWindows[expires]))
  for (const [name, column] of Object.entries(spanColumns) as [keyof typeof spanColumns, (typeof spanColumns)[keyof typeof spanColumns]][]) {
    const span = readSpan(filter[name] ?? '')
    if (span !== undefined) query = query.where(column, '>=', span.from).where(column, '<', span.until)
  }
  if (filter.ends !== undefined) query = query.where('revoked_at', 'is', null)
  return query
}

const sortColumns = { name: sql<string>`lower(name)`, notAfter: sql<Date>`not_after`, issuedAt: sql<Date>`issued_at`, serialNumber: sql<string>`serial_hex` }
export type InventorySort = keyof typeof sortColumns

export type Listed = Omit<CertificateRecord, 'certificate'>
/** All columns but the bytes. */
export const listed = [
  'tenant_id', 'id', 'ca_id', 'ca_name', 'serial_hex', 'request_id', 'template_id', 'template_name', 'class', 'entity', 'name', 'subject', 'sans', 'email', 'holder_user_id', 'holder',
  'device_name', 'device_serial', 'requester_id', 'requester', 'friendly_name', 'contact_email', 'renewal_mode', 'revocation_approvers', 'not_before', 'not_after', 'issued_at', 'revoked_at',
  'revocation_reason', 'fingerprint_sha256', 'notices_sent', 'renewed_by',
] as const satisfies readonly (keyof Listed)[]

export type PageAsked = { page: number; size: number; sort: InventorySort; direction: 'asc' | 'desc' }

export const inventoryPage = (db: Database, tenantId: string, filter: InventoryFilter, { page, size, sort, direction }: PageAsked, now: Date): Promise<Listed[]> =>
  matchingCertificates(db, tenantId, filter, now)
    .select(listed)
    .orderBy(sortColumns[sort], direction)
    .orderBy('id', direction)
    .limit(size)
    .offset((page - 1) * size)
    .execute()

/** Counted up to one past the cap. */
export async function countMatching(db: Database, tenantId: string, filter: InventoryFilter, now: Date): Promise<number> {
  const some = matchingCertificates(db, tenantId, filter, now).select('certificates.id').limit(countedUpTo + 1)
  const counted = await db
    .selectFrom(some.as('some'))
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirst()
  return Number(counted?.total ?? 0)
}

/** The whole list in the order of ids, for an export: in batches, each from where the last one ended. */
export const inventoryBatch = (db: Database, tenantId: string, filter: InventoryFilter, after: string | undefined, size: number, now: Date): Promise<Listed[]> => {
  let query = matchingCertificates(db, tenantId, filter, now).select(listed)
  if (after !== undefined) query = query.where('certificates.id', '>', after)
  return query.orderBy('certificates.id').limit(size).execute()
}

/** Valid certificates that end by `until` and have none in their place yet, for the notices before expiry. */
export const endingBy = (db: Database, tenantId: string, now: Date, until: Date, after: string | undefined): Promise<Listed[]> => {
  let query = tables(db).selectFrom('certificates').select(listed).where('tenant_id', '=', tenantId).where('revoked_at', 'is', null).where('renewed_by', 'is', null).where('not_after', '>=', now).where('not_after', '<=', until)
  if (after !== undefined) query = query.where('id', '>', after)
  return query.orderBy('id').limit(500).execute()
}

/** How many certificates of each authority have each status, in one reading. */
export async function countByAuthority(db: Database, tenantId: string, now: Date): Promise<{ caId: string; status: CertificateStatus; count: number }[]> {
  const soon = inDays(now, expiringDays)
  const status = sql<CertificateStatus>`case when revoked_at is not null then 'revoked' when not_before > ${now} then 'pending' when not_after < ${now} then 'expired' when not_after <= ${soon} then 'expiring' else 'active' end`
  const rows = await tables(db)
    .selectFrom('certificates')
    .where('tenant_id', '=', tenantId)
    .where('ca_id', 'is not', null)
    .select((all) => ['ca_id', status.as('status'), all.fn.countAll<number>().as('count')])
    .groupBy(['ca_id', sql`2`])
    .execute()
  return rows.map(({ ca_id, status: found, count }) => ({ caId: ca_id ?? '', status: found, count: Number(count) }))
}
