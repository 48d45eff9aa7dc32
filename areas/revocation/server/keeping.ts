// Who may keep OCSP answers in memory. A process that keeps those of an authority holds a shared lock of the database on it, and
// lets go when it hears of a change; whoever has revoked waits for the lock alone, and so until every process has let go, before the
// revocation is answered. A process that does not hear serves from memory for half a second at most since it last read the
// database: nobody waits longer than that.

import type pg from 'pg'
import { statusChannel } from '#areas/authorities/service.ts'
import type { House } from '#core/server/house.ts'
import { listenOn } from '#core/server/listening.ts'
import { ocspLeaseMilliseconds } from '../rules.ts'
import { holdAlone, holdShared, letGo } from './keeping-store.ts'

/** The right to keep answers. */
export type Holding = { lasts: boolean }

export type Keeping = {
  /** Undefined where nothing may be kept now: somebody is revoking, or the database cannot be heard. What is read after this may be kept. */
  take(caId: string): Promise<Holding | undefined>
  /** This process keeps nothing of the authority any more. */
  drop(caId: string): Promise<void>
  close(): Promise<void>
}

const lockOf = (caId: string) => `status:${caId}`

function openKeeping(house: House): Keeping {
  let holdings = new Map<string, Holding>()
  let client: pg.PoolClient | undefined
  function loseAll(): void {
    for (const holding of holdings.values()) holding.lasts = false
    holdings = new Map()
  }

  const listening = listenOn(house.auditor.pool, {
    channel: statusChannel,
    begins: (connected) => void (client = connected),
    heard: (caId) => void drop(caId),
    ends() {
      client = undefined
      loseAll()
    },
    failed: (error) => house.log.warn({ error }, 'revocations by other servers cannot be heard; no OCSP answer is kept until they can'),
  })

  async function drop(caId: string): Promise<void> {
    const holding = holdings.get(caId)
    if (holding === undefined) return
    holding.lasts = false
    holdings.delete(caId)
    if (client !== undefined) await letGo(client, lockOf(caId)).catch(() => {})
  }

  return {
    async take(caId) {
      const known = holdings.get(caId)
      if (known !== undefined || client === undefined) return known
      const asked = client
      const taken = await holdShared(asked, lockOf(caId))
      if (!taken || asked !== client) return undefined
      const other = holdings.get(caId)
      if (other !== undefined) {
        // Two asked at once: the lock counts how often it was taken.
        await letGo(asked, lockOf(caId))
        return other
      }
      const holding = { lasts: true }
      holdings.set(caId, holding)
      return holding
    },
    drop,
    close: listening.close,
  }
}

const keepings = new WeakMap<House, Keeping>()

export function keepingOf(house: House): Keeping {
  const keeping = keepings.get(house) ?? openKeeping(house)
  keepings.set(house, keeping)
  return keeping
}

/** After the commit of a revocation: returns when no process answers from what it knew before. */
export async function untilNobodyKeeps(house: House, caId: string): Promise<void> {
  await keepingOf(house).drop(caId)
  try {
    await holdAlone(house.database, lockOf(caId), ocspLeaseMilliseconds)
  } catch (error) {
    // Somebody has not let go, and its time has run out.
    if (!(error instanceof Error && 'code' in error && error.code === lockNotAvailable)) throw error
  }
}
const lockNotAvailable = '55P03'

export const closeKeeping = async (house: House): Promise<void> => keepings.get(house)?.close()
