// Finishes what was agreed to and not issued: after a crash, or when the key was out of reach. It may run beside the request that it
// overtakes: the locks in issue.ts see to it that one certificate comes of it. A key that was made here died with the call that made it, and
// its request goes back to where a key can be collected. It runs at start, each minute, and within seconds of a failure.

import { setTimeout as wait } from 'node:timers/promises'
import { inTenant } from '#core/server/database.ts'
import { KeyOutOfReach } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { dropBatchesLeft } from '#areas/authorities/service.ts'
import { listTenancies } from '#areas/tenancy/service.ts'
import { certificates } from '../contract.ts'
import { dropMadeKey } from './collect.ts'
import { issueRequest, issuing } from './issue.ts'
import { changeRequest, lockRequest, unfinishedRequests } from './store.ts'

/** How long a request may be under way before it counts as left behind. */
const patience = 20_000

export async function finishUnfinished(house: House, since = patience): Promise<void> {
  const before = (milliseconds: number) => new Date(house.now().getTime() - milliseconds)
  const soon = before(-60_000)
  // Whoever makes a key, or issues at once, cleans up where that fails. Only what died leaves something behind, and what is slow is given its time.
  const leftSince = since === 0 ? 0 : Math.max(since, patience)
  for (const { id: tenantId } of await listTenancies(house.database)) {
    await dropLeft(house, tenantId, before(leftSince), soon).catch((error: unknown) => house.log.error({ error }, 'serials that a crash left behind could not be made void; it is tried again in a minute'))
    for (const requestId of await inTenant(house.database, tenantId, (db) => unfinishedRequests(db, tenantId, 'theirs', before(since), soon))) {
      try {
        await issueRequest(house, tenantId, requestId)
      } catch (error) {
        if (error instanceof KeyOutOfReach) await noteWait(house, tenantId, requestId, error)
        else house.log.error({ error, request: requestId }, 'an approved request could not be issued; it is tried again in a minute')
      }
    }
    for (const requestId of await inTenant(house.database, tenantId, (db) => unfinishedRequests(db, tenantId, 'madeHere', before(leftSince), soon))) {
      await dropMadeKey(house, tenantId, requestId).catch((error: unknown) => house.log.error({ error, request: requestId }, 'a key that nobody holds could not be dropped; it is tried again in a minute'))
    }
  }
}

/** What was being issued at once when its server died was handed to nobody: its serials are given up. */
const dropLeft = (house: House, tenantId: string, before: Date, soon: Date): Promise<void> =>
  house.work(tenantId, issuing, async ({ db, emitFor }) => {
    for (const { caId, serials: serialNumbers } of await dropBatchesLeft(db, tenantId, before, soon, house.now())) emitFor(certificates)('voided', { caId, serialNumbers }, caId)
  })

/** What a person is told of a request that could not be issued yet: that the key is out of reach, or nothing where it is a matter of seconds. */
export const reasonToWait = (error: unknown): string => (error instanceof KeyOutOfReach ? error.message : '')

/** It stays what it is, and says what it waits for; whoever issues it wipes that away. */
async function noteWait(house: House, tenantId: string, requestId: string, { message }: KeyOutOfReach): Promise<void> {
  await inTenant(house.database, tenantId, async (db) => {
    const request = await lockRequest(db, tenantId, requestId)
    const waits = request?.stage === 'approved' || request?.stage === 'reserved'
    if (waits && request.error !== message) await changeRequest(db, tenantId, requestId, { error: message, updated_at: house.now() })
  })
}

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
    await finishUnfinished(house, shortPatience).catch((error: unknown) => house.log.warn({ error }, 'what is unfinished could not be looked for; it is tried again'))
  }
}

/** When the house closes. */
export async function stopLooking(house: House): Promise<void> {
  const looking = lookings.get(house)
  looking?.ended.abort()
  await looking?.done
}
