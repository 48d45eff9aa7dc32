// What answers at an address, a port and a name, and every question that is asked of it.

import { sql, type Generated } from 'kysely'
import { readSpan } from '#areas/certificates/rules.ts'
import type { Database } from '#core/server/database.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { soonDays, type ProviderKind, type Reason, type View } from '../rules.ts'

export type FindingRecord = {
  tenant_id: string
  id: string
  /** None where it stands at a place of a provider. */
  address: string | null
  port: number
  server_name: string
  fingerprint: string
  certificate: Buffer
  subject: string
  issuer: string
  names: string[]
  not_before: Date
  not_after: Date
  protocol: string
  key_type: string
  reasons: Reason[]
  first_seen: Date
  last_seen: Date
  misses: number
  state: 'open' | 'taken' | 'ignored'
  ignored_until: Date | null
  ignored_reason: string
  expected: string | null
  served_at: Date | null
  provider: ProviderKind | 'network' | 'file'
  provider_id: string
  place: string
}
export type ChangeRecord = {
  tenant_id: string
  id: string
  installation_id: string
  at: Date
  from_fingerprint: string
  to_fingerprint: string
}
type Defaulted = 'misses' | 'state' | 'ignored_reason' | 'provider' | 'provider_id' | 'place'
type Tables = {
  installations: Omit<FindingRecord, Defaulted> & { [K in Defaulted]: Generated<FindingRecord[K]> }
  installation_changes: ChangeRecord
}
const tables = (db: Database) => db.withTables<Tables>()

const all = (tenancy: Tenancy) => tables(tenancy.db).selectFrom('installations').where('installations.tenant_id', '=', tenancy.tenantId)
const whole = (tenancy: Tenancy) =>
  all(tenancy)
    .selectAll()
    .select(sql<string | null>`host(address)`.as('address'))

const soon = (now: Date): Date => new Date(now.getTime() + soonDays * 86_400_000)

/** What a view shows. What is ignored until a day comes back by itself. */
function conditionOf(view: View, now: Date) {
  const ignored = sql<boolean>`(state = 'ignored' and ignored_until > ${now})`
  const shown = sql<boolean>`not ${ignored}`
  const of = {
    all: shown,
    ignored,
    taken: sql<boolean>`state = 'taken'`,
    expired: sql<boolean>`(${shown} and not_after < ${now})`,
    closeToExpiry: sql<boolean>`(${shown} and not_after >= ${now} and not_after <= ${soon(now)})`,
    untrusted: sql<boolean>`(${shown} and cardinality(array_remove(reasons, 'expired')) > 0)`,
  }
  return of[view]
}

export type FindingQuestion = {
  view: View
  text: string
  renewal?: 'awaited' | 'served' | undefined
  issuer?: string | undefined
  /** A stretch of time as an address gives it. */
  ends?: string | undefined
}
const columns = { notAfter: 'not_after', address: 'address', lastSeen: 'last_seen' } as const
export type FindingPage = { page: number; size: number; sort?: keyof typeof columns | undefined; direction: 'asc' | 'desc' }

const matching = (tenancy: Tenancy, { view, text, renewal, issuer, ends }: FindingQuestion) => {
  const typed = text.trim().toLowerCase()
  let query = all(tenancy).where(conditionOf(view, tenancy.now))
  if (typed !== '')
    query = query.where(
      sql<boolean>`(strpos(lower(subject), ${typed}) > 0 or strpos(coalesce(host(address), lower(place)), ${typed}) > 0 or strpos(server_name, ${typed}) > 0 or strpos(lower(array_to_string(names, ' ')), ${typed}) > 0 or fingerprint = ${typed})`,
    )
  if (renewal === 'awaited') query = query.where(sql<boolean>`expected is not null and served_at is null`)
  if (renewal === 'served') query = query.where('served_at', 'is not', null)
  if (issuer !== undefined) query = query.where('issuer', '=', issuer)
  const span = readSpan(ends ?? '')
  if (span !== undefined) query = query.where('not_after', '>=', span.from).where('not_after', '<', span.until)
  return query
}

export async function findFindings(tenancy: Tenancy, question: FindingQuestion, { page, size, sort = 'notAfter', direction }: FindingPage) {
  const rows = await matching(tenancy, question)
    .selectAll()
    .select(sql<string | null>`host(address)`.as('address'))
    .orderBy(sql.ref(`installations.${columns[sort]}`), direction)
    .orderBy('installations.id')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  return { rows, total: await countFindings(tenancy, question) }
}

export async function countFindings(tenancy: Tenancy, question: FindingQuestion): Promise<number> {
  const { count } = await matching(tenancy, question)
    .select((of) => of.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function countIssuers(tenancy: Tenancy, most: number): Promise<{ issuer: string; count: number }[]> {
  const rows = await matching(tenancy, { view: 'all', text: '' })
    .select((of) => ['issuer', of.fn.countAll<number>().as('count')])
    .groupBy('issuer')
    .orderBy('count', 'desc')
    .orderBy('issuer')
    .limit(most)
    .execute()
  return rows.map(({ issuer, count }) => ({ issuer, count: Number(count) }))
}

export type DomainCount = { domain: string; issuer: string; own: boolean; found: number; untrusted: number }

/**
 * Findings with a name that is one of these domains or lies below it, by domain and issuer. What is ignored is left out. `owners`: names of the own
 * authorities. A certificate that only bears such a name, and is signed by another key, is counted apart, because anybody can write a name.
 */
export async function countByDomain(
  { db, tenantId, now }: Tenancy,
  { domains, owners, most }: { domains: readonly string[]; owners: readonly string[]; most: number },
): Promise<DomainCount[]> {
  const { rows } = await sql<DomainCount>`
    select domain, issuer, issuer = any(${[...owners]}::text[]) and not untrusted as own,
      count(*)::int as found, (count(*) filter (where untrusted))::int as untrusted
    from unnest(${[...domains]}::text[]) as domain join installations on installations.tenant_id = ${tenantId}
      and not (state = 'ignored' and ignored_until > ${now}) and exists (
        select from unnest(names || server_name) as name
        where lower(name) = domain or right(lower(name), length(domain) + 1) = '.' || domain)
      cross join lateral (select reasons && array['unknownIssuer', 'selfSigned'] as untrusted) as judged
    group by 1, 2, 3 order by domain, count(*) desc, issuer, own desc limit ${most}`.execute(db)
  return rows
}

export const findFinding = (tenancy: Tenancy, id: string): Promise<FindingRecord | undefined> =>
  whole(tenancy).where('id', '=', id).executeTakeFirst()

/** Locked until the commit, in the order of their ids. */
export const lockFindings = (tenancy: Tenancy, ids: readonly string[]): Promise<FindingRecord[]> =>
  whole(tenancy)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute()

/** Those at these places, for what a scan has just seen there. */
export const findAt = (tenancy: Tenancy, places: readonly { address: string; port: number }[]): Promise<FindingRecord[]> =>
  whole(tenancy)
    .where(
      sql<boolean>`(address, port) in (select * from unnest(${places.map(({ address }) => address)}::inet[], ${places.map(({ port }) => port)}::int[]))`,
    )
    .execute()

/** Those at these places of a provider. */
export const findAtProvider = (
  tenancy: Tenancy,
  { provider, providerId, places }: { provider: FindingRecord['provider']; providerId: string; places: readonly string[] },
): Promise<FindingRecord[]> =>
  whole(tenancy)
    .where('address', 'is', null)
    .where('provider', '=', provider)
    .where('provider_id', '=', providerId)
    .where('place', '=', sql<string>`any(${[...places]}::text[])`)
    .execute()

/** What is known of files with one of these certificates, or awaits one of them. */
export const findInFiles = (tenancy: Tenancy, fingerprints: readonly string[]): Promise<FindingRecord[]> =>
  whole(tenancy)
    .where('address', 'is', null)
    .where('provider', '=', 'file')
    .where((any) => {
      const one = sql<string>`any(${[...fingerprints]}::text[])`
      return any.or([any('fingerprint', '=', one), any('expected', '=', one)])
    })
    .execute()

/** Addresses where a renewed certificate is awaited. */
export const listAwaited = (tenancy: Tenancy, most: number): Promise<(FindingRecord & { address: string })[]> =>
  whole(tenancy)
    .where('address', 'is not', null)
    .where('expected', 'is not', null)
    .where('served_at', 'is', null)
    .orderBy('id')
    .limit(most)
    .$narrowType<{ address: string }>()
    .execute()

/** Those that were taken over and whose certificate has one of these names, or is called so. */
export const findTakenNamed = (tenancy: Tenancy, names: readonly string[]): Promise<FindingRecord[]> =>
  whole(tenancy)
    .where('state', '=', 'taken')
    .where(sql<boolean>`(names && ${[...names]}::text[] or server_name = any(${[...names]}::text[]))`)
    .limit(1_000)
    .execute()

export type Seen = Pick<
  FindingRecord,
  | 'address'
  | 'port'
  | 'server_name'
  | 'fingerprint'
  | 'certificate'
  | 'subject'
  | 'issuer'
  | 'names'
  | 'not_before'
  | 'not_after'
  | 'protocol'
  | 'key_type'
  | 'reasons'
  | 'provider'
  | 'provider_id'
  | 'place'
>

export const insertFinding = async ({ db, tenantId, now }: Tenancy, id: string, seen: Seen): Promise<void> =>
  void (await tables(db)
    .insertInto('installations')
    .values({ tenant_id: tenantId, id, ...seen, first_seen: now, last_seen: now, ignored_until: null, expected: null, served_at: null })
    .execute())

export const updateFinding = async (
  { db, tenantId }: Tenancy,
  ids: readonly string[],
  values: Partial<Omit<FindingRecord, 'tenant_id' | 'id' | 'address'>>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('installations')
    .set(values)
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute())

/** Those that were probed and gave no answer. */
export const updateMissed = async ({ db, tenantId }: Tenancy, ids: readonly string[]): Promise<void> =>
  void (await tables(db)
    .updateTable('installations')
    .set((of) => ({ misses: of('misses', '+', 1) }))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute())

export const insertChange = async ({ db, tenantId, now }: Tenancy, change: Omit<ChangeRecord, 'tenant_id' | 'at'>): Promise<void> =>
  void (await tables(db)
    .insertInto('installation_changes')
    .values({ tenant_id: tenantId, at: now, ...change })
    .execute())

export const listChanges = ({ db, tenantId }: Tenancy, installationId: string, most: number): Promise<ChangeRecord[]> =>
  tables(db)
    .selectFrom('installation_changes')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('installation_id', '=', installationId)
    .orderBy('at', 'desc')
    .limit(most)
    .execute()
