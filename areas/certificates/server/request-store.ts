// Requests as lists, and what rules and bulk work ask about many of them. A text is looked for among the newest ten thousand that fit the rest: what people look for here is recent.

import { sql, type RawBuilder } from 'kysely'
import { approvalRounds } from '#areas/approvals/service.ts'
import { within, type Selected, type Target } from '#areas/bulk/service.ts'
import type { Database } from '#core/server/database.ts'
import { approvalKind, stagesWith, type RequestStage, type RequestStatus } from '../rules.ts'
import { tables, type RequestRecord } from './store.ts'

export type RequestFilter = {
  text: string
  status: RequestStatus | undefined
  /** The requests that this person made or holds. */
  ownerId: string | undefined
  needsApproval: boolean
  ids: readonly string[] | undefined
}

const looked = 10_000

const newest = (db: Database, tenantId: string, { status, ownerId, needsApproval, ids }: RequestFilter) => {
  let query = tables(db).selectFrom('certificate_requests').where('tenant_id', '=', tenantId)
  if (status !== undefined) {
    query = query.where('stage', 'in', stagesWith(status))
    const revoked = tables(db).selectFrom('certificates').select('id').where('tenant_id', '=', tenantId).where('revoked_at', 'is not', null)
    if (status === 'revoked') query = query.where('certificate_id', 'in', revoked)
    if (status === 'issued') query = query.where('certificate_id', 'not in', revoked).where('serial_hex', 'is not', null)
    // Nothing was reserved for what others issued.
    if (status === 'issued_out_of_band') query = query.where('serial_hex', 'is', null)
  }
  if (ownerId !== undefined) query = query.where((all) => all.or([all('requester_id', '=', ownerId), all('holder_user_id', '=', ownerId)]))
  if (needsApproval) query = query.where('approvers_needed', '>', 0)
  if (ids !== undefined) query = query.where('id', 'in', ids.length > 0 ? [...ids] : ['00000000-0000-0000-0000-000000000000'])
  return query
}

/** The newest that a filter finds, as a query to be cut from: their row is `recent`. */
const matchingRequests = (db: Database, tenantId: string, filter: RequestFilter) => {
  const recent = newest(db, tenantId, filter).select(['id', 'subject', 'requester', 'template_name', 'created_at']).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(looked + 1)
  let query = tables(db).selectFrom(recent.as('recent'))
  const text = filter.text.trim().toLowerCase()
  if (text !== '')
    query = query.where((all) => all.or((['subject', 'requester', 'template_name'] as const).map((column) => all(all.fn<number>('strpos', [all.fn('lower', [`recent.${column}`]), all.val(text)]), '>', 0))))
  return query
}

export const requestPage = async (db: Database, tenantId: string, filter: RequestFilter, page: { page: number; size: number }): Promise<RequestRecord[]> => requestsOf(db, tenantId, await requestIds(db, tenantId, filter, page))

/** A page of them, newest first. */
export async function requestIds(db: Database, tenantId: string, filter: RequestFilter, { page, size }: { page: number; size: number }): Promise<string[]> {
  const found = await matchingRequests(db, tenantId, filter)
    .select('recent.id')
    .orderBy('recent.created_at', 'desc')
    .orderBy('recent.id', 'desc')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  return found.map(({ id }) => id)
}

/** These requests, in the order given. */
export async function requestsOf(db: Database, tenantId: string, ids: readonly string[]): Promise<RequestRecord[]> {
  if (ids.length === 0) return []
  const rows = await tables(db).selectFrom('certificate_requests').selectAll().where('tenant_id', '=', tenantId).where('id', 'in', [...ids]).execute()
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? [])
}

export async function countRequests(db: Database, tenantId: string, filter: RequestFilter): Promise<{ total: number; more: boolean }> {
  const counted = await matchingRequests(db, tenantId, filter)
    .select((all) => all.fn.countAll<number>().as('total'))
    .executeTakeFirst()
  const total = Number(counted?.total ?? 0)
  return { total: Math.min(total, looked), more: total > looked }
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
export async function askedSince(db: Database, tenantId: string, { requesterId, since, but, most }: { requesterId: string; since: Date; but: string; most: number }): Promise<number> {
  const query = tables(db).selectFrom('certificate_requests').select('id').where('tenant_id', '=', tenantId).where('requester_id', '=', requesterId).where('created_at', '>=', since).where('id', '!=', but)
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
export async function stagesOf(db: Database, tenantId: string, requestIds: readonly string[]): Promise<Map<string, { stage: RequestStage; error: string }>> {
  if (requestIds.length === 0) return new Map()
  const rows = await tables(db).selectFrom('certificate_requests').select(['id', 'stage', 'error']).where('tenant_id', '=', tenantId).where('id', 'in', [...requestIds]).execute()
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
export function withdrawableRequests(db: Database, tenantId: string, userId: string, { text, status }: Pick<RequestFilter, 'text' | 'status'>, selected: Selected): RawBuilder<Target> {
  const matching = sql`request.stage in ('waiting', 'awaitingKey') and request.id in (${matchingRequests(db, tenantId, { text, status, ownerId: userId, needsApproval: false, ids: undefined }).select('recent.id')})`
  const mine = sql`(request.requester_id = ${userId} or request.holder_user_id = ${userId})`
  return targets(tenantId, sql`${mine} and ${within(id, selected)} and ${'ids' in selected ? sql`true` : matching}`)
}
