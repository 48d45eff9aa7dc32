// Lists of requests. A text is looked for among the newest ten thousand that fit the rest: what people look for here is recent.

import type { Database } from '#core/server/database.ts'
import type { RequestStage, RequestStatus } from '../rules.ts'
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

const stagesOf: Record<RequestStatus, readonly RequestStage[]> = {
  incomplete: ['awaitingKey'],
  error: ['failed'],
  denied: ['denied', 'withdrawn'],
  issued: ['issued'],
  issued_out_of_band: [],
  under_submission: ['waiting', 'approved', 'reserved'],
  revoked: ['issued'],
}

const newest = (db: Database, tenantId: string, { status, ownerId, needsApproval, ids }: RequestFilter) => {
  let query = tables(db).selectFrom('certificate_requests').where('tenant_id', '=', tenantId)
  if (status !== undefined) {
    const stages = stagesOf[status]
    query = query.where('stage', 'in', stages.length > 0 ? [...stages] : ['waiting']).$if(stages.length === 0, (none) => none.where('stage', '=', 'issued'))
    const revoked = tables(db).selectFrom('certificates').select('id').where('tenant_id', '=', tenantId).where('revoked_at', 'is not', null)
    if (status === 'revoked') query = query.where('certificate_id', 'in', revoked)
    if (status === 'issued') query = query.where('certificate_id', 'not in', revoked)
  }
  if (ownerId !== undefined) query = query.where((all) => all.or([all('requester_id', '=', ownerId), all('holder_user_id', '=', ownerId)]))
  if (needsApproval) query = query.where('approvers_needed', '>', 0)
  if (ids !== undefined) query = query.where('id', 'in', ids.length > 0 ? [...ids] : ['00000000-0000-0000-0000-000000000000'])
  return query
}

/** The newest that a filter finds, as a query to be cut from: their row is `recent`. */
export const matchingRequests = (db: Database, tenantId: string, filter: RequestFilter) => {
  const recent = newest(db, tenantId, filter).select(['id', 'subject', 'requester', 'template_name', 'created_at']).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(looked + 1)
  let query = tables(db).selectFrom(recent.as('recent'))
  const text = filter.text.trim().toLowerCase()
  if (text !== '')
    query = query.where((all) => all.or((['subject', 'requester', 'template_name'] as const).map((column) => all(all.fn<number>('strpos', [all.fn('lower', [`recent.${column}`]), all.val(text)]), '>', 0))))
  return query
}

export async function requestPage(db: Database, tenantId: string, filter: RequestFilter, { page, size }: { page: number; size: number }): Promise<RequestRecord[]> {
  const found = await matchingRequests(db, tenantId, filter)
    .select('recent.id')
    .orderBy('recent.created_at', 'desc')
    .orderBy('recent.id', 'desc')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  return requestsOf(db, tenantId, found.map(({ id }) => id))
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
