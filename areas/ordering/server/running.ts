// Goes on with an order in the background of the call that began it, so that a person sees it come along; the job takes up whatever a server leaves behind.

import { setTimeout as sleep } from 'node:timers/promises'
import type { House } from '#core/server/house.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { besideTurn } from '#core/server/turn-signal.ts'
import { driveOrder } from './drive.ts'
import { endingOf } from './ending.ts'
import { findOrder } from './order-store.ts'

/** `works`: with the tenancy of each. `orders`: each is followed once. */
type Running = { works: Map<Promise<void>, string>; orders: Set<string> }
const running = new WeakMap<House, Running>()

const runningOf = (house: House): Running => {
  const found = running.get(house) ?? { works: new Map(), orders: new Set() }
  running.set(house, found)
  return found
}

/** Longer pauses are left to the job. */
const longestPause = 20_000
const longestRun = 10 * 60_000

export function driveSoon(house: House, tenantId: string, id: string): void {
  const { works, orders } = runningOf(house)
  const ending = endingOf(house)
  if (orders.has(id)) return
  orders.add(id)
  // Followed for longer than the turn of a job that begins it.
  const work = besideTurn(() => follow(house, tenantId, id, ending.signal))
    .catch((error: unknown) => {
      if (!ending.signal.aborted) house.log.error({ error, order: id }, 'an ACME order could not go on')
    })
    .finally(() => {
      works.delete(work)
      orders.delete(id)
    })
  works.set(work, tenantId)
}

async function follow(house: House, tenantId: string, id: string, signal: AbortSignal): Promise<void> {
  const until = Date.now() + longestRun
  while (Date.now() < until && !signal.aborted) {
    await driveOrder(house, tenantId, id)
    const order = await withTenancy(house, tenantId, (tenancy) => findOrder(tenancy, id))
    if (order === undefined || !order.runs || order.step === 'done') return
    const pause = order.next_at.getTime() - house.now().getTime()
    if (pause > longestPause) return
    await sleep(Math.max(100, pause), undefined, { signal })
  }
}

const worksOf = (house: House, tenantId: string): Promise<void>[] =>
  [...runningOf(house).works].flatMap(([work, of]) => (of === tenantId ? [work] : []))

/** How many orders of the tenancy this process follows. */
export const countRunning = (house: House, tenantId: string): number => worksOf(house, tenantId).length

/** Waits until nothing of this tenancy goes on any more but what waits for longer. */
export const ordersIdle = async (house: House, tenantId: string): Promise<void> => void (await Promise.allSettled(worksOf(house, tenantId)))

/** Ends what is under way in this process; the job goes on with it. */
export async function ordersEnded(house: House): Promise<void> {
  endingOf(house).abort()
  await Promise.allSettled(runningOf(house).works.keys())
}
