// Grants the lease under which a process may cache the OCSP answers of an authority. A lease is a shared advisory lock of the database, which the process
// releases when it hears of a change. A revocation takes the same lock exclusively before it is answered, so it waits until no process answers from an
// older cache. A process that misses the notice uses its cache for half a second at most after its last reading, so no revocation waits longer.

import type pg from 'pg'
import { statusChannel } from '#areas/authorities/service.ts'
import type { House } from '#core/server/house.ts'
import { listenOn } from '#core/server/listening.ts'
import { ocspLeaseMilliseconds } from '../rules.ts'
import { lockAlone, lockShared, unlock } from './cache-lease-store.ts'

/** `valid` becomes false when the lease ends. */
export type Lease = { valid: boolean }

export type CacheLeases = {
  /** Undefined while a revocation is under way or the database cannot be heard. What is read after this call may be cached. */
  acquire(caId: string): Promise<Lease | undefined>
  /** Ends the lease: this process caches nothing more of the authority. */
  release(caId: string): Promise<void>
  close(): Promise<void>
}

const lockOf = (caId: string) => `status:${caId}`

function openLeases(house: House): CacheLeases {
  let leases = new Map<string, Lease>()
  let client: pg.PoolClient | undefined
  function loseAll(): void {
    for (const lease of leases.values()) lease.valid = false
    leases = new Map()
  }

  const listening = listenOn(house.held, {
    channel: statusChannel,
    begins: (connected) => void (client = connected),
    heard: (caId) => void release(caId),
    ends() {
      client = undefined
      loseAll()
    },
    failed: (error) => house.log.warn({ error }, 'revocations by other servers cannot be heard; no OCSP answer is cached until they can'),
  })

  async function release(caId: string): Promise<void> {
    const lease = leases.get(caId)
    if (lease === undefined) return
    lease.valid = false
    leases.delete(caId)
    if (client !== undefined) await unlock(client, lockOf(caId)).catch(() => {})
  }

  return {
    async acquire(caId) {
      const known = leases.get(caId)
      if (known !== undefined || client === undefined) return known
      const asked = client
      const acquired = await lockShared(asked, lockOf(caId))
      if (!acquired || asked !== client) return undefined
      const other = leases.get(caId)
      if (other !== undefined) {
        // Releases the second lock of two concurrent calls, because PostgreSQL counts each.
        await unlock(asked, lockOf(caId))
        return other
      }
      const lease = { valid: true }
      leases.set(caId, lease)
      return lease
    },
    release,
    close: listening.close,
  }
}

const leasesByHouse = new WeakMap<House, CacheLeases>()

export function leasesOf(house: House): CacheLeases {
  const own = leasesByHouse.get(house) ?? openLeases(house)
  leasesByHouse.set(house, own)
  return own
}

/** Waits, after the commit of a revocation, until no process answers from an older cache. */
export async function untilNobodyCaches(house: House, caId: string): Promise<void> {
  await leasesOf(house).release(caId)
  try {
    await lockAlone(house.database, lockOf(caId), ocspLeaseMilliseconds)
  } catch (error) {
    // A process did not release its lease, but the time for which it may use its cache has run out.
    if (!(error instanceof Error && 'code' in error && error.code === lockNotAvailable)) throw error
  }
}
const lockNotAvailable = '55P03'

export const closeLeases = async (house: House): Promise<void> => leasesByHouse.get(house)?.close()
