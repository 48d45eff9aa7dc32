// What a room says to have something delivered. The row is written in the room's transaction: nothing is delivered of what was undone, and nothing is lost of
// what was committed.

import type { Database } from '../database.ts'
import { giveUpMilliseconds, type DeliveryKind } from './kinds.ts'
import { deleteTarget, findTarget, insertDelivery, lockTarget, reviveDelivery, updateTarget, wakeLane, type Lane } from './store.ts'

export type { Delivery, DeliveryKind, DeliveryOutcome } from './kinds.ts'
export { attemptsOf, findDelivery, pageOfDeliveries, type AttemptRow, type DeliveryRow } from './store.ts'

export type DeliveryDraft = {
  tenantId: string
  target: string
  /** Deliveries to one target with the same key go one after another, in the order in which they were queued; without, in any order. */
  key?: string
  /** As it is to be sent, to the byte. It is kept as it is: what is secret in it is sealed by the room. */
  payload: string
}

/** Queues a delivery in the open transaction, and returns its id. Sending begins with the commit. */
export const queueDelivery = (
  db: Database,
  kind: DeliveryKind,
  { tenantId, target, key = '', payload }: DeliveryDraft,
  now: Date,
): Promise<string> =>
  insertDelivery(db, { tenantId, kind: kind.kind, target, key, payload, giveUpAt: new Date(now.getTime() + giveUpMilliseconds(kind)), now })

/** Sends once more what was delivered or given up, under the same id. False where there is no such delivery, or it waits. */
export async function resendDelivery(
  db: Database,
  kind: DeliveryKind,
  { tenantId, id }: { tenantId: string; id: string },
  now: Date,
): Promise<boolean> {
  const lane = await reviveDelivery(db, tenantId, id, { now, giveUpAt: new Date(now.getTime() + giveUpMilliseconds(kind)) })
  if (lane !== undefined) await wakeLane(db, lane)
  return lane !== undefined
}

export type TargetState = { state: 'active' | 'paused' | 'stopped'; reason: string; failures: number; retryAt: Date | undefined }

/** Tells how a target fares. One that nothing was ever sent to is active. */
export async function readTarget(db: Database, lane: Lane): Promise<TargetState> {
  const row = await findTarget(db, lane)
  return { state: row?.state ?? 'active', reason: row?.reason ?? '', failures: row?.failures ?? 0, retryAt: row?.retry_at ?? undefined }
}

/** Holds back what waits for a target until it is resumed. What waits too long is given up all the same. */
export async function pauseTarget(db: Database, lane: Lane, reason: string): Promise<void> {
  await lockTarget(db, lane)
  await updateTarget(db, lane, { state: 'paused', reason })
}

/** Sends again what waits for a target, whoever paused or stopped it. */
export async function resumeTarget(db: Database, lane: Lane): Promise<void> {
  await lockTarget(db, lane)
  await updateTarget(db, lane, { state: 'active', reason: '', failures: 0, failing_since: null, retry_at: null })
  await wakeLane(db, lane)
}

/** Removes a target and all that was or is to be delivered to it. */
export const removeTarget = (db: Database, lane: Lane): Promise<void> => deleteTarget(db, lane)
