// One request decided on or withdrawn, by whichever door: the single call and each row of bulk work take this way.

import { howAndByWhom } from '#areas/approvals/rules.ts'
import { cancelApproval, decidersOf, voteOnRound } from '#areas/approvals/service.ts'
import type { Database } from '#core/server/database.ts'
import type { FaultDetail } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Emit, Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import type { certificates } from '../../contract.ts'
import { approvalKind, howDecided } from '../../rules.ts'
import { withdrawalRefusal } from '../policy.ts'
import type { RequestRecord } from '../store.ts'
import { changeRequest, lockRequest } from './request-store.ts'

type Doing<F extends string> = {
  db: Database
  viewer: Viewer
  now: Date
  emit: Emit<typeof certificates>
  fault(code: F, detail?: FaultDetail): never
}

export const subjectOf = (tenantId: string, subjectId: string) => ({ tenantId, kind: approvalKind, subjectId })
export const voterOf = (viewer: Viewer) => ({ userId: viewer.userId, permissions: viewer.permission.api })

type Vote = { requestId: string; round: number; verdict: 'approve' | 'deny'; comment: string }

/** Issuing comes after the commit. */
export async function voteOn(
  {
    house,
    db,
    viewer,
    now,
    emit,
    fault,
  }: Doing<'noSuchRequest' | 'own' | 'closed' | 'permission' | 'twice' | 'changed'> & { house: House },
  { requestId, round, verdict, comment }: Vote,
) {
  const { tenantId } = viewer
  // The request before its approval, as an edit locks them.
  const request = await lockRequest(db, tenantId, requestId)
  if (request === undefined) return fault('noSuchRequest')
  if (request.stage === 'waiting' && request.holder_user_id === viewer.userId) return fault('own')
  const result = await voteOnRound(
    house,
    db,
    { ...subjectOf(tenantId, requestId), voter: { ...voterOf(viewer), name: actorOf(viewer) }, verdict, comment, now },
    round,
  )
  if ('refused' in result)
    return result.refused === 'closed'
      ? fault('closed', { params: { how: await howRequestDecided(db, request) } })
      : fault(result.refused === 'missing' ? 'noSuchRequest' : result.refused)
  emit(verdict === 'approve' ? 'approved' : 'denied', { requestId }, requestId)
  return result
}

export async function withdrawRequest(
  { db, viewer, now, emit, fault }: Doing<'noSuchRequest' | 'closed'>,
  requestId: string,
): Promise<void> {
  const { tenantId } = viewer
  const request = await lockRequest(db, tenantId, requestId)
  if (request === undefined) return fault('noSuchRequest')
  const refused = withdrawalRefusal(viewer, request)
  if (refused === 'closed') return fault('closed', { params: { how: await howRequestDecided(db, request) } })
  if (refused !== undefined) return fault(refused)
  await changeRequest(db, tenantId, requestId, {
    stage: 'withdrawn',
    error: request.requester_id === viewer.userId ? say`Withdrawn by the requester` : say`Withdrawn by the holder`,
    updated_at: now,
  })
  await cancelApproval(db, subjectOf(tenantId, requestId), now)
  emit('withdrawn', { requestId }, requestId)
}

/** How a request was decided and by whom, for who comes too late. */
export const howRequestDecided = async (db: Database, { tenant_id: tenantId, id, stage }: RequestRecord): Promise<string> =>
  howAndByWhom(howDecided[stage], await decidersOf(db, subjectOf(tenantId, id)))
