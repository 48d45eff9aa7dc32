// Finishes what was agreed to and not issued: after a crash, or when the key was out of reach. It may run beside the request that it
// overtakes: the locks in issue.ts see to it that one certificate comes of it. A key that was made here died with the call that made it, and
// its request goes back to where a key can be collected. It runs at start, each minute, and within seconds of a failure.

import { setTimeout as wait } from 'node:timers/promises'
import { refusal } from '#areas/authorities/refusals.ts'
import { dropBatchesLeft, voidReservation } from '#areas/authorities/service.ts'
import { atOwner, ownerOf } from '#areas/licensing/service.ts'
import { isRefusedByDatabase } from '#core/server/batch.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { forEachTenancy } from '#core/server/each.ts'
import { KeyOutOfReach } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { certificates } from '../../contract.ts'
import { changeRequest, lockRequest, unfinishedRequests } from '../requests/request-store.ts'
import type { RequestRecord } from '../store.ts'
import { dropMadeKey } from './collect.ts'
import { failRequest, issueRequest, issuing } from './issue.ts'

/** How long a request may be under way before it counts as left behind. */
const patience = 20_000

export async function finishUnfinished(house: House, tenantId: string, since = patience): Promise<void> {
  const before = (milliseconds: number) => new Date(house.now().getTime() - milliseconds)
  const soon = before(-60_000)
  // Whoever makes a key, or issues at once, cleans up where that fails. Only what died leaves something behind, and what is slow is given its time.
  const leftSince = since === 0 ? 0 : Math.max(since, patience)
  await dropLeft(house, tenantId, before(leftSince), soon).catch((error: unknown) =>
    house.log.error({ error }, 'serials that a crash left behind could not be made void; it is tried again in a minute'),
  )
  for (const requestId of await inTenant(house.database, tenantId, (db) =>
    unfinishedRequests(db, tenantId, 'theirs', before(since), soon),
  )) {
    try {
      await issueRequest(house, tenantId, requestId)
    } catch (error) {
      await afterFailure(house, tenantId, requestId, error)
    }
  }
  for (const requestId of await inTenant(house.database, tenantId, (db) =>
    unfinishedRequests(db, tenantId, 'madeHere', before(leftSince), soon),
  )) {
    try {
      await dropMadeKey(house, tenantId, requestId)
    } catch (error) {
      house.log.error({ error, request: requestId }, 'a key that nobody holds could not be dropped; it is tried again in a minute')
      await postpone(house, tenantId, requestId)
    }
  }
}

export const finishEverywhere = (house: House, since: number): Promise<void> =>
  forEachTenancy(house, (tenantId) => finishUnfinished(house, tenantId, since))

/** What was being issued at once when its server died was handed to nobody: its serials are given up. */
const dropLeft = (house: House, tenantId: string, before: Date, soon: Date): Promise<void> =>
  house.work(tenantId, issuing, async ({ db, emitFor }) => {
    for (const { caId, serials: serialNumbers } of await dropBatchesLeft(db, tenantId, before, soon, house.now()))
      emitFor(certificates)('voided', { caId, serialNumbers }, caId)
  })

/** What a person is told of a request that could not be issued yet: that the key is out of reach, or nothing where it is a matter of seconds. */
export const reasonToWait = (error: unknown): string => (error instanceof KeyOutOfReach ? error.message : '')

/** What the database does not take it never takes: that request ends. Any other is tried again, after those that have waited for longer. */
export async function afterFailure(house: House, tenantId: string, requestId: string, error: unknown): Promise<void> {
  if (error instanceof KeyOutOfReach) return postpone(house, tenantId, requestId, error.message)
  if (isRefusedByDatabase(error)) {
    house.log.error({ error, request: requestId }, 'an approved request could not be stored; it ends')
    return endRefused(house, tenantId, requestId).catch((failure: unknown) => {
      house.log.error(
        { error: failure, request: requestId },
        'a request that cannot be stored could not be ended; it is tried again in a minute',
      )
      return postpone(house, tenantId, requestId)
    })
  }
  house.log.error({ error, request: requestId }, 'an approved request could not be issued; it is tried again in a minute')
  return postpone(house, tenantId, requestId)
}

/** Locked, where it still is to be issued. It may have been issued, or ended, by another server meanwhile. */
async function lockUnfinished(db: Database, tenantId: string, requestId: string): Promise<RequestRecord | undefined> {
  const request = await lockRequest(db, tenantId, requestId)
  return request?.stage === 'approved' || request?.stage === 'reserved' ? request : undefined
}

/** It stays what it is, says what it waits for, which whoever issues it wipes away, and goes behind all others: those that fail each time must not keep the rest waiting. */
async function postpone(house: House, tenantId: string, requestId: string, why?: string): Promise<void> {
  await inTenant(house.database, tenantId, async (db) => {
    const request = await lockUnfinished(db, tenantId, requestId)
    if (request !== undefined)
      await changeRequest(db, tenantId, requestId, { updated_at: house.now(), ...(why === undefined ? {} : { error: why }) })
  })
}

const endRefused = (house: House, tenantId: string, requestId: string): Promise<void> =>
  house.work(tenantId, issuing, async ({ db, emitFor }) => {
    const request = await lockUnfinished(db, tenantId, requestId)
    if (request === undefined) return
    const emit = emitFor(certificates)
    const { ca_id: caId } = request
    const ownerId = await ownerOf(db, tenantId, caId, house.now())
    const serialNumbers = await atOwner(db, tenantId, ownerId, () => voidReservation(db, ownerId, requestId))
    if (serialNumbers.length > 0) emit('voided', { caId, serialNumbers }, caId)
    await failRequest(db, request, { refusal: refusal('notStorable', undefined), now: house.now(), emit })
  })

/** The first look comes when a database that was killed is usually back; the last, when the job takes over. */
const pauses = [2_000, 3_000, 5_000, 10_000, 20_000]
/** What a failure left is not under way any more; what another request has just begun is left to it. */
const shortPatience = 1_500

type Looking = { next: number; ended: AbortController; done: Promise<void> }
const lookings = new WeakMap<House, Looking>()

/** Called where a call failed for a reason of ours, as when the database went away between an approval and its certificate. Nobody waits for it. */
export function finishSoon(house: House): void {
  const running = lookings.get(house)
  if (running !== undefined) {
    running.next = 0
    return
  }
  const looking: Looking = { next: 0, ended: new AbortController(), done: Promise.resolve() }
  lookings.set(house, looking)
  looking.done = lookAgain(house, looking).finally(() => lookings.delete(house))
}

async function lookAgain(house: House, looking: Looking): Promise<void> {
  for (let pause = pauses[0]; pause !== undefined; pause = pauses[looking.next]) {
    looking.next += 1
    await wait(pause, undefined, { signal: looking.ended.signal }).catch(() => {})
    if (looking.ended.signal.aborted) return
    await finishEverywhere(house, shortPatience).catch((error: unknown) =>
      house.log.warn({ error }, 'what is unfinished could not be looked for; it is tried again'),
    )
  }
}

/** When the house closes. */
export async function stopLooking(house: House): Promise<void> {
  const looking = lookings.get(house)
  looking?.ended.abort()
  await looking?.done
}
