import { sql } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import { currentStates, type RenewalMode, type RenewalState } from '../rules.ts'

export type RenewalRecord = {
  tenant_id: string
  id: string
  certificate_id: string
  name: string
  template_name: string
  not_after: Date
  mode: RenewalMode
  state: RenewalState
  reason: string
  tries: number
  request_id: string | null
  successor_id: string | null
  asked_by: string
  begun_at: Date
  updated_at: Date
  told_at: Date | null
  next_attempt_at: Date | null
}

export type RenewalTables = { renewals: RenewalRecord }

const tables = (db: Database) => db.withTables<RenewalTables>()
const of = (db: Database, tenantId: string) => tables(db).selectFrom('renewals').selectAll().where('tenant_id', '=', tenantId)

/** False where the certificate has one that stands already. */
export async function insertRenewal(db: Database, record: RenewalRecord): Promise<boolean> {
  const rows = await tables(db)
    .insertInto('renewals')
    .values(record)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return rows.length > 0
}

export type Change = Partial<Omit<RenewalRecord, 'tenant_id' | 'id' | 'certificate_id'>>

/** Moves it on if it is still where the caller saw it. */
export async function moveRenewal(
  db: Database,
  seen: Pick<RenewalRecord, 'tenant_id' | 'id' | 'state' | 'tries'>,
  change: Change,
): Promise<boolean> {
  const rows = await tables(db)
    .updateTable('renewals')
    .set(change)
    .where('tenant_id', '=', seen.tenant_id)
    .where('id', '=', seen.id)
    .where('state', '=', seen.state)
    .where('tries', '=', seen.tries)
    .returning('id')
    .execute()
  return rows.length > 0
}

/** The attempts about a certificate, the newest first. */
export const renewalsOf = (db: Database, tenantId: string, certificateId: string) =>
  of(db, tenantId).where('certificate_id', '=', certificateId).orderBy('begun_at', 'desc').orderBy('id', 'desc').limit(100).execute()

export const currentRenewal = (db: Database, tenantId: string, certificateId: string) =>
  of(db, tenantId)
    .where('certificate_id', '=', certificateId)
    .where('state', 'in', [...currentStates])
    .executeTakeFirst()

/** The newest attempt about each of these certificates. */
export async function newestOf(db: Database, tenantId: string, certificateIds: readonly string[]): Promise<Map<string, RenewalRecord>> {
  if (certificateIds.length === 0) return new Map()
  const rows = await of(db, tenantId)
    .where('certificate_id', 'in', [...certificateIds])
    .distinctOn('certificate_id')
    .orderBy('certificate_id')
    .orderBy('begun_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.certificate_id, row]))
}

/** Those whose request is open, or that were being asked for a while ago; those untouched the longest first. */
export const openRenewals = (db: Database, tenantId: string, askingSince: Date, after: string | undefined, most: number) => {
  let query = of(db, tenantId).where((all) =>
    all.or([all('state', '=', 'waiting'), all.and([all('state', '=', 'asking'), all('updated_at', '<', askingSince)])]),
  )
  if (after !== undefined) query = query.where('id', '>', after)
  return query.orderBy('id').limit(most).execute()
}

/** Those that were not possible, with their key or at all, and are tried again by now. */
export const renewalsAgain = (db: Database, tenantId: string, now: Date, most: number) =>
  of(db, tenantId)
    .where('state', 'in', ['refused', 'awaitingHolder', 'awaitingKey'])
    .where('next_attempt_at', '<=', now)
    .where('not_after', '>', now)
    .orderBy('next_attempt_at')
    .limit(most)
    .execute()

/** Those whose certificate has ended while nothing came of them. */
export const renewalsLapsed = (db: Database, tenantId: string, now: Date, most: number) =>
  of(db, tenantId)
    .where('state', 'in', ['awaitingHolder', 'awaitingKey', 'refused'])
    .where('not_after', '<=', now)
    .orderBy('not_after')
    .limit(most)
    .execute()

export type RenewalQuery = {
  text: string
  state: readonly RenewalState[] | undefined
  page: number
  size: number
  sort: 'name' | 'notAfter' | 'updatedAt'
  direction: 'asc' | 'desc'
}

const columns = { name: sql<string>`lower(name)`, notAfter: sql<Date>`not_after`, updatedAt: sql<Date>`updated_at` }

function matching(db: Database, tenantId: string, { text, state }: Pick<RenewalQuery, 'text' | 'state'>) {
  let query = tables(db).selectFrom('renewals').where('tenant_id', '=', tenantId)
  const sought = text.trim().toLowerCase()
  if (sought !== '')
    query = query.where(sql<boolean>`(strpos(lower(name), ${sought}::text) > 0 or strpos(lower(template_name), ${sought}::text) > 0)`)
  if (state !== undefined && state.length > 0) query = query.where('state', 'in', [...state])
  return query
}

export async function searchRenewals(
  db: Database,
  tenantId: string,
  query: RenewalQuery,
): Promise<{ rows: RenewalRecord[]; total: number; more: boolean }> {
  const rows = await matching(db, tenantId, query)
    .selectAll()
    .orderBy(columns[query.sort], query.direction)
    .orderBy('id')
    .limit(query.size)
    .offset((query.page - 1) * query.size)
    .execute()
  const some = matching(db, tenantId, query)
    .select('id')
    .limit(countedUpTo + 1)
  const counted = await db
    .selectFrom(some.as('some'))
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirst()
  const total = Number(counted?.total ?? 0)
  return { rows, total: Math.min(total, countedUpTo), more: total > countedUpTo }
}

/** How many of each state. */
export async function countStates(db: Database, tenantId: string, text: string): Promise<Record<string, number>> {
  const rows = await matching(db, tenantId, { text, state: undefined })
    .select((all) => ['state', all.fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map(({ state, count }) => [state, Math.min(Number(count), countedUpTo)]))
}
