// Issues what was approved and not issued, after a crash or while the key was out of reach. It may run beside the call that issues the same request:
// the locks of issue.ts make sure that there is one certificate. A key that was made here died with its call, so its request waits again for its key to be
// collected. Recovery runs at the start, each minute, and within seconds of a failure.

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

/** Counts a request as abandoned after this time. */
const patience = 20_000

export async function finishUnfinished(house: House, tenantId: string, since = patience): Promise<void> {
  const before = (milliseconds: number) => new Date(house.now().getTime() - milliseconds)
  const soon = before(-60_000)
  // Waits longer for keys made here and for batches: their calls clean up after a failure, so only a crash abandons them.
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

/** Makes void the serials of batches whose server died, because nobody has received those certificates. */
const dropLeft = (house: House, tenantId: string, before: Date, soon: Date): Promise<void> =>
  house.work(tenantId, issuing, async ({ db, emitFor }) => {
    for (const { caId, serials: serialNumbers } of await dropBatchesLeft(db, tenantId, before, soon, house.now()))
      emitFor(certificates)('voided', { caId, serialNumbers }, caId)
  })

/** Says why a request waits: the key is out of reach. Says nothing where it is a matter of seconds. */
export const reasonToWait = (error: unknown): string => (error instanceof KeyOutOfReach ? error.message : '')

/** Ends a request that the database refuses, because it would refuse it each time. Postpones any other behind those that have waited longer. */
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

/** Locks the request. Undefined where another server has issued or ended it meanwhile. */
async function lockUnfinished(db: Database, tenantId: string, requestId: string): Promise<RequestRecord | undefined> {
  const request = await lockRequest(db, tenantId, requestId)
  return request?.stage === 'approved' || request?.stage === 'reserved' ? request : undefined
}

/** Moves the request behind all others, because one that fails each time must not delay the rest. `why` says what it waits for; issuing clears it. */
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

/** Begins when a database that was killed is usually back, and ends when the job takes over. */
const pauses = [2_000, 3_000, 5_000, 10_000, 20_000]
/** Leaves a request that has just begun to its own call. */
const shortPatience = 1_500

type Retry = { next: number; ended: AbortController; done: Promise<void> }
const retries = new WeakMap<House, Retry>()

/** Starts the retries after a failure of ours, such as a database that was lost between an approval and its certificate. Does not wait for them. */
export function finishSoon(house: House): void {
  const running = retries.get(house)
  if (running !== undefined) {
    running.next = 0
    return
  }
  const retry: Retry = { next: 0, ended: new AbortController(), done: Promise.resolve() }
  retries.set(house, retry)
  retry.done = retryLater(house, retry).finally(() => retries.delete(house))
}

async function retryLater(house: House, retry: Retry): Promise<void> {
  for (let pause = pauses[0]; pause !== undefined; pause = pauses[retry.next]) {
    retry.next += 1
    await wait(pause, undefined, { signal: retry.ended.signal }).catch(() => {})
    if (retry.ended.signal.aborted) return
    await finishEverywhere(house, shortPatience).catch((error: unknown) =>
      house.log.warn({ error }, 'what is unfinished could not be looked for; it is tried again'),
    )
  }
}

/** Stops the retries when the house closes. */
export async function stopRetries(house: House): Promise<void> {
  const retry = retries.get(house)
  retry?.ended.abort()
  await retry?.done
}
