// What is asked of requests: one by one, many for rules and bulk work, and as lists, where a text is looked for among the newest ten thousand that fit the rest:
// what people look for here is recent.

import { sql, type RawBuilder } from 'kysely'
import { approvalRounds } from '#areas/approvals/service.ts'
import { within, type Selected, type Target } from '#areas/bulk/service.ts'
import { runStatement, type Statement } from '#core/server/batch.ts'
import type { Database } from '#core/server/database.ts'
import { insertRows } from '#core/server/insert-rows.ts'
import type { RequestStatus } from '../../request-status.ts'
import { approvalKind, stagesWith, withdrawableStages, type RequestStage } from '../../rules.ts'
import { requestColumns, tables, type CertificateRecord, type RequestRecord } from '../store.ts'

type JsonParts = Pick<RequestRecord, 'plan' | 'findings' | 'typed'>
const written = ({ plan, findings, typed }: JsonParts) => ({
  plan: JSON.stringify(plan),
  findings: JSON.stringify(findings),
  typed: JSON.stringify(typed),
})

/** Returns the ids of those that are new; of a key that the requester has used before, and of a second renewal of a certificate, nothing is written. */
export const requestsInserted = (records: readonly RequestRecord[]): Statement =>
  insertRows(
    'certificate_requests',
    requestColumns,
    records.map((record) => ({ ...record, ...written(record) })),
    'on conflict do nothing returning id',
  )

/** False where this requester used this key before, or somebody renews the certificate already. */
export const insertRequest = async (db: Database, record: RequestRecord): Promise<boolean> =>
  (await runStatement(db, requestsInserted([record]))).length > 0

/** Many at once, none of which anybody has sent before. */
export async function insertRequests(db: Database, records: readonly RequestRecord[]): Promise<void> {
  if (records.length > 0) await runStatement(db, requestsInserted(records))
}

export const requestOfKey = (db: Database, tenantId: string, requesterId: string, key: string): Promise<RequestRecord | undefined> =>
  tables(db)
    .selectFrom('certificate_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('requester_id', '=', requesterId)
    .where('idempotency_key', '=', key)
    .executeTakeFirst()

/** The request that renews a certificate, or has renewed it; none where those that were made came to nothing. */
export const renewalOf = (db: Database, tenantId: string, certificateId: string): Promise<RequestRecord | undefined> =>
  tables(db)
    .selectFrom('certificate_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('renews', '=', certificateId)
    .where('stage', 'not in', ['denied', 'withdrawn', 'failed'])
    .executeTakeFirst()

export const newestRenewalOf = (db: Database, tenantId: string, certificateId: string): Promise<RequestRecord | undefined> =>
  tables(db)
    .selectFrom('certificate_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('renews', '=', certificateId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()

export const findRequest = (db: Database, tenantId: string, id: string): Promise<RequestRecord | undefined> =>
  tables(db).selectFrom('certificate_requests').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const findRequests = async (db: Database, tenantId: string, ids: readonly string[]): Promise<RequestRecord[]> =>
  ids.length === 0
    ? []
    : tables(db)
        .selectFrom('certificate_requests')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('id', 'in', [...ids])
        .execute()

/** The same with its row locked: whoever moves a request on holds it until the commit. */
export const lockRequest = (db: Database, tenantId: string, id: string): Promise<RequestRecord | undefined> =>
  tables(db)
    .selectFrom('certificate_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export async function changeRequest(
  db: Database,
  tenantId: string,
  id: string,
  change: Partial<Omit<RequestRecord, 'tenant_id' | 'id' | keyof JsonParts>>,
  parts?: JsonParts,
): Promise<void> {
  await tables(db)
    .updateTable('certificate_requests')
    .set({ ...change, ...(parts === undefined ? {} : written(parts)) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** What this person asked for, or is to be the holder of, and what nobody has begun to issue. */
export const openRequestsOf = async (db: Database, tenantId: string, userId: string): Promise<string[]> =>
  (
    await tables(db)
      .selectFrom('certificate_requests')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('stage', 'in', withdrawableStages)
      .where((all) => all.or([all.eb('requester_id', '=', userId), all.eb('holder_user_id', '=', userId)]))
      .orderBy('id')
      .execute()
  ).map(({ id }) => id)

/** Those of these requests whose signature is due, locked in one order. */
export const lockReserved = async (db: Database, tenantId: string, ids: readonly string[]): Promise<Set<string>> =>
  new Set(
    ids.length === 0
      ? []
      : (
          await tables(db)
            .selectFrom('certificate_requests')
            .select('id')
            .where('tenant_id', '=', tenantId)
            .where('id', 'in', [...ids])
            .where('stage', '=', 'reserved')
            .orderBy('id')
            .forUpdate()
            .execute()
        ).map(({ id }) => id),
  )

/** Each has its certificate now. */
export async function setIssued(
  db: Database,
  tenantId: string,
  issued: readonly Pick<CertificateRecord, 'id' | 'request_id' | 'issued_at'>[],
): Promise<void> {
  await sql`
    update certificate_requests set stage = 'issued', certificate_id = made.certificate_id, updated_at = made.issued_at
    from unnest(${issued.map((one) => one.request_id)}::uuid[], ${issued.map(({ id }) => id)}::uuid[], ${issued.map((one) => one.issued_at)}::timestamptz[]) as made (request_id, certificate_id, issued_at)
    where certificate_requests.tenant_id = ${tenantId} and certificate_requests.id = made.request_id`.execute(db)
}

/**
 * Agreed to but not issued, untouched since `before`: what a crash left, or what is being done this moment. With the requester's key, or with
 * one that was made here.
 */
export const unfinishedRequests = async (
  db: Database,
  tenantId: string,
  key: 'theirs' | 'madeHere',
  before: Date,
  soon: Date,
): Promise<string[]> =>
  (
    await tables(db)
      .selectFrom('certificate_requests')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('stage', 'in', ['approved', 'reserved'])
      .where((all) =>
        key === 'theirs'
          ? all.or([all('csr', 'is not', null), all('same_key', '=', true)])
          : all.and([all('csr', 'is', null), all('same_key', '=', false)]),
      )
      // What bears a time yet to come was written before the clock was set back, and is as old as any.
      .where((all) => all.or([all.eb('updated_at', '<=', before), all.eb('updated_at', '>', soon)]))
      .orderBy('updated_at')
      .limit(500)
      .execute()
  ).map(({ id }) => id)

export type RequestFilter = {
  text: string
  status: RequestStatus | undefined
  /** The requests that this person made or holds. */
  ownerId: string | undefined
  needsApproval: boolean
  ids: readonly string[] | undefined
}

const mostCounted = 10_000

const fitting = (db: Database, tenantId: string, { status, needsApproval, ids }: RequestFilter) => {
  let query = tables(db).selectFrom('certificate_requests').where('tenant_id', '=', tenantId)
  if (status !== undefined) {
    query = query.where('stage', 'in', stagesWith(status))
    // Looked up one by one: those revoked may be many more than those shown.
    const revoked = sql<boolean>`exists (select from certificates where certificates.tenant_id = ${tenantId} and certificates.id = certificate_requests.certificate_id and certificates.revoked_at is not null)`
    if (status === 'revoked') query = query.where(revoked)
    if (status === 'issued') query = query.where(({ not }) => not(revoked)).where('serial_hex', 'is not', null)
    // Nothing was reserved for what others issued.
    if (status === 'issued_out_of_band') query = query.where('serial_hex', 'is', null)
  }
  if (needsApproval) query = query.where('approvers_needed', '>', 0)
  if (ids !== undefined) query = query.where('id', 'in', ids.length > 0 ? [...ids] : ['00000000-0000-0000-0000-000000000000'])
  return query
}

/** The newest that a filter finds, as a query to be cut from: their row is `recent`. A person's are those of two indexes, each read from its newest end. */
const matchingRequests = (db: Database, tenantId: string, filter: RequestFilter) => {
  const { ownerId } = filter
  const newestOf = (whose?: 'requester_id' | 'holder_user_id') =>
    fitting(db, tenantId, filter)
      .$if(whose !== undefined, (query) => query.where(whose ?? 'requester_id', '=', ownerId ?? null))
      .select(['id', 'subject', 'requester', 'template_name', 'created_at'])
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(mostCounted + 1)
  const from = (whose?: 'requester_id' | 'holder_user_id') => tables(db).selectFrom(newestOf(whose).as('those')).selectAll()
  const recent = tables(db)
    .selectFrom((ownerId === undefined ? from() : from('requester_id').union(from('holder_user_id'))).as('either'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(mostCounted + 1)
  let query = tables(db).selectFrom(recent.as('recent'))
  const text = filter.text.trim().toLowerCase()
  if (text !== '')
    query = query.where((all) =>
      all.or(
        (['subject', 'requester', 'template_name'] as const).map((column) =>
          all(all.fn<number>('strpos', [all.fn('lower', [`recent.${column}`]), all.val(text)]), '>', 0),
        ),
      ),
    )
  return query
}

export const requestPage = async (
  db: Database,
  tenantId: string,
  filter: RequestFilter,
  page: { page: number; size: number },
): Promise<RequestRecord[]> => requestsOf(db, tenantId, await requestIds(db, tenantId, filter, page))

/** A page of them, newest first. */
export async function requestIds(
  db: Database,
  tenantId: string,
  filter: RequestFilter,
  { page, size }: { page: number; size: number },
): Promise<string[]> {
  const found = await matchingRequests(db, tenantId, filter)
    .select('recent.id')
    .orderBy('recent.created_at', 'desc')
    .orderBy('recent.id', 'desc')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  return found.map(({ id }) => id)
}

export const requestSubjects = (db: Database, tenantId: string, ids: readonly string[]): Promise<Pick<RequestRecord, 'id' | 'subject'>[]> =>
  tables(db)
    .selectFrom('certificate_requests')
    .select(['id', 'subject'])
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()

/** Of those that led to no certificate, as far back as `mostCounted`, the newest whose subject has the text in it. */
export async function requestsWithSubject(db: Database, tenantId: string, text: string, most: number): Promise<string[]> {
  const recent = tables(db)
    .selectFrom('certificate_requests')
    .select(['id', 'subject', 'created_at'])
    .where('tenant_id', '=', tenantId)
    .where('certificate_id', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(mostCounted)
  const found = await tables(db)
    .selectFrom(recent.as('recent'))
    .select('recent.id')
    .where((all) => all(all.fn<number>('strpos', [all.fn('lower', ['recent.subject']), all.val(text.toLowerCase())]), '>', 0))
    .orderBy('recent.created_at', 'desc')
    .limit(most)
    .execute()
  return found.map(({ id }) => id)
}

/** These requests, in the order given. */
export async function requestsOf(db: Database, tenantId: string, ids: readonly string[]): Promise<RequestRecord[]> {
  if (ids.length === 0) return []
  const rows = await tables(db)
    .selectFrom('certificate_requests')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...ids])
    .execute()
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? [])
}

export async function countRequests(db: Database, tenantId: string, filter: RequestFilter): Promise<{ total: number; more: boolean }> {
  const counted = await matchingRequests(db, tenantId, filter)
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirst()
  const total = Number(counted?.total ?? 0)
  return { total: Math.min(total, mostCounted), more: total > mostCounted }
}

/** How many requests of this person wait for somebody who decides. */
export async function countWaitingOf(db: Database, tenantId: string, requesterId: string): Promise<number> {
  const row = await tables(db)
    .selectFrom('certificate_requests')
    .select((all) => all.fn.countAll<string>().as('total'))
    .where('tenant_id', '=', tenantId)
    .where('requester_id', '=', requesterId)
    .where('stage', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return Number(row.total)
}

/** How many requests this person made since then, besides this one. Counted up to `most`. */
export async function askedSince(
  db: Database,
  tenantId: string,
  { requesterId, since, but, most }: { requesterId: string; since: Date; but: string; most: number },
): Promise<number> {
  const query = tables(db)
    .selectFrom('certificate_requests')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('requester_id', '=', requesterId)
    .where('created_at', '>=', since)
    .where('id', '!=', but)
  return (await query.limit(most).execute()).length
}

/** The people who wait for a certificate of the template, each with the id of the request. */
export async function waitingForTemplate(db: Database, tenantId: string, templateId: string): Promise<Map<string, string>> {
  const rows = await tables(db)
    .selectFrom('certificate_requests')
    .select(['id', 'holder_user_id'])
    .where('tenant_id', '=', tenantId)
    .where('template_id', '=', templateId)
    .where('holder_user_id', 'is not', null)
    .where('stage', 'in', ['waiting', 'awaitingKey', 'approved', 'reserved'])
    .execute()
  return new Map(rows.flatMap(({ id, holder_user_id }) => (holder_user_id === null ? [] : [[holder_user_id, id]])))
}

/** What became of these requests. */
export async function stagesOf(
  db: Database,
  tenantId: string,
  requestIds: readonly string[],
): Promise<Map<string, { stage: RequestStage; error: string }>> {
  if (requestIds.length === 0) return new Map()
  const rows = await tables(db)
    .selectFrom('certificate_requests')
    .select(['id', 'stage', 'error'])
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', [...requestIds])
    .execute()
  return new Map(rows.map(({ id, stage, error }) => [id, { stage, error }]))
}

/** Requests with the round that they are in: a vote counts for what the person was shown. */
const targets = (tenantId: string, narrowed: RawBuilder<unknown>): RawBuilder<Target> => sql<Target>`
  select request.id, request.subject as label, coalesce(opened.round, 0) as version
  from certificate_requests as request left join (${approvalRounds(tenantId, approvalKind)}) as opened on opened.subject_id = request.id
  where request.tenant_id = ${tenantId} and ${narrowed}`

const id = sql.ref('request.id')

/** For bulk work on requests that anybody may have made. */
export const chosenRequests = (tenantId: string, selected: Selected): RawBuilder<Target> => targets(tenantId, within(id, selected))

/** This person's own. Of all that match, those that can be withdrawn; of those chosen one by one, each, so that its reason is told. */
export function withdrawableRequests(
  db: Database,
  tenantId: string,
  userId: string,
  { text, status }: Pick<RequestFilter, 'text' | 'status'>,
  selected: Selected,
): RawBuilder<Target> {
  const matching = sql`request.stage = any(${withdrawableStages}::text[]) and request.id in (${matchingRequests(db, tenantId, { text, status, ownerId: userId, needsApproval: false, ids: undefined }).select('recent.id')})`
  const mine = sql`(request.requester_id = ${userId} or request.holder_user_id = ${userId})`
  return targets(tenantId, sql`${mine} and ${within(id, selected)} and ${'ids' in selected ? sql`true` : matching}`)
}
