// Delivers what waits, on every server at once. A lane holds what goes to one target; a server leases a lane for a short turn, so that a slow target holds up
// nobody else, and of one tenancy only a few lanes have their turn at a time. Each attempt is on record before it is made, and what a dead server left behind
// is taken up when its lease is over.

import { inTenant, type Database } from '../database.ts'
import type { House } from '../house.ts'
import { listenOn } from '../listening.ts'
import type { Sample } from '../metrics.ts'
import { untilAborted } from '../outward/names.ts'
import { storable } from '../storable.ts'
import { keepMilliseconds, nextAttempt, nextOfTarget, stopAfterMilliseconds, type DeliveryKind, type DeliveryOutcome } from './kinds.ts'
import {
  claimLanes,
  deliveryChannel,
  endDelivery,
  findTarget,
  lockTarget,
  postpone,
  releaseLane,
  takeNext,
  takeWakes,
  tidyLane,
  updateAttempt,
  updateTarget,
  type DeliveryRow,
  type LeasedLane,
} from './store.ts'

export type Dispatcher = { stop(): Promise<void>; samples(): Sample[] }

const pollMilliseconds = 1_000
/** Lanes that have their turn in this process, and those of one tenancy on all servers together. */
const mostLanes = 32
const mostOfTenancy = 4
/** A turn ends after so long or so many, and the lane goes to the end of the line. */
const turnMilliseconds = 5_000
const mostOfTurn = 200
/** Of the connections to the database, so many at most: the rest answers people. */
const mostStatements = 4
const farewellMilliseconds = 5_000
const defaultMilliseconds = 30_000
const storedAnswer = 1_024

export function startDeliveries(house: House, kinds: readonly DeliveryKind[]): Dispatcher {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]))
  /** A lease outlasts the longest attempt that may begin in its turn. */
  const leaseMilliseconds = turnMilliseconds + 30_000 + Math.max(defaultMilliseconds, ...kinds.map(({ milliseconds = 0 }) => milliseconds))
  const ending = new AbortController()
  /** Ends attempts that go on when the server ends. */
  const cutOff = new AbortController()
  const turns = new Set<Promise<void>>()
  const counts = new Map<string, Map<DeliveryOutcome['outcome'], number>>()
  const throughGate = openGate(mostStatements)
  let news = true
  let rouse = () => {}
  const wake = () => {
    news = true
    rouse()
  }
  const listening = listenOn(house.held, {
    channel: deliveryChannel,
    begins: wake,
    heard: wake,
    ends() {},
    failed: (error) => house.log.warn({ error }, 'new deliveries cannot be heard of; they are looked for each second'),
  })
  const running = run()

  const after = (milliseconds: number) => new Date(house.now().getTime() + milliseconds)
  const work = <T>(tenantId: string, action: (db: Database) => Promise<T>): Promise<T> =>
    throughGate(() => inTenant(house.database, tenantId, action))

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      news = false
      try {
        await startTurns()
      } catch (error) {
        house.log.warn({ error }, 'deliveries could not be looked for; trying again')
      }
      await pause()
    }
  }

  async function startTurns(): Promise<void> {
    await throughGate(() => takeWakes(house.database, house.now()))
    const most = mostLanes - turns.size
    if (most <= 0) return
    const lanes = await throughGate(() =>
      claimLanes(house.database, { now: house.now(), until: after(leaseMilliseconds), most, mostOfTenancy, kinds: [...byName.keys()] }),
    )
    for (const lane of lanes) {
      const turn = takeTurn(lane)
        .catch((error: unknown) => house.log.error({ error, kind: lane.kind, tenantId: lane.tenantId }, 'a turn of deliveries failed'))
        .finally(() => {
          turns.delete(turn)
          wake()
        })
      turns.add(turn)
    }
  }

  async function takeTurn(lane: LeasedLane): Promise<void> {
    const kind = byName.get(lane.kind)
    if (kind === undefined) return
    const keep = keepMilliseconds(kind)
    const target = await work(lane.tenantId, async (db) => {
      await tidyLane(db, lane, { now: house.now(), keep })
      return findTarget(db, lane)
    })
    const failing = target?.retry_at ?? undefined
    const mayGo = (target?.state ?? 'active') === 'active' && (failing === undefined || failing <= house.now())
    if (mayGo) {
      const ends = performance.now() + turnMilliseconds
      // One that fails is tried with a single delivery first.
      let left = failing === undefined ? mostOfTurn : 1
      const line = async () => {
        while (left > 0 && performance.now() < ends && !ending.signal.aborted) {
          left -= 1
          const result = await deliverNext(lane, kind)
          if (result === 'nothing') return
          if (result === 'halt') left = 0
        }
      }
      const lines = failing === undefined ? (kind.parallel ?? 4) : 1
      await Promise.all(Array.from({ length: lines }, line))
    }
    await work(lane.tenantId, (db) => releaseLane(db, lane, keep))
  }

  async function deliverNext(lane: LeasedLane, kind: DeliveryKind): Promise<'nothing' | 'more' | 'halt'> {
    const row = await work(lane.tenantId, (db) => takeNext(db, lane, { now: house.now(), until: after(leaseMilliseconds) }))
    if (row === undefined) return 'nothing'
    const begun = performance.now()
    const outcome = await attempt(kind, row)
    const took = Math.round(performance.now() - begun)
    // What the end of this server has cut off is no failure of the target.
    if (ending.signal.aborted && outcome.outcome === 'failed') {
      await work(lane.tenantId, (db) => postpone(db, row, house.now()))
      return 'halt'
    }
    const of = counts.get(kind.kind) ?? new Map<DeliveryOutcome['outcome'], number>()
    counts.set(kind.kind, of.set(outcome.outcome, (of.get(outcome.outcome) ?? 0) + 1))
    const { halt, stopped } = await work(lane.tenantId, (db) => record(db, lane, row, { ...outcome, took }))
    if (stopped !== undefined) await kind.stopped?.({ tenantId: lane.tenantId, target: lane.target, reason: stopped }, house)
    return halt ? 'halt' : 'more'
  }

  async function attempt(kind: DeliveryKind, row: DeliveryRow): Promise<DeliveryOutcome> {
    const milliseconds = kind.milliseconds ?? defaultMilliseconds
    const signal = AbortSignal.any([AbortSignal.timeout(milliseconds), cutOff.signal])
    const delivery = {
      tenantId: row.tenant_id,
      id: row.id,
      target: row.target,
      key: row.key,
      payload: row.payload,
      attempt: row.attempts,
      queuedAt: row.queued_at,
    }
    try {
      return await untilAborted(kind.deliver(delivery, house, signal), signal)
    } catch (error) {
      house.log.info({ error, kind: kind.kind, tenantId: row.tenant_id, delivery: row.id }, 'a delivery failed')
      const answer = signal.aborted
        ? `No end within ${milliseconds / 1000} seconds`
        : error instanceof Error
          ? error.message
          : String(error)
      return { outcome: 'failed', answer }
    }
  }

  async function record(
    db: Database,
    lane: LeasedLane,
    row: DeliveryRow,
    { outcome, status, answer = '', retryAfterSeconds, took }: DeliveryOutcome & { took: number },
  ): Promise<{ halt: boolean; stopped?: string }> {
    const target = await lockTarget(db, lane)
    const now = house.now()
    const made = { tenantId: row.tenant_id, id: row.id, attempt: row.attempts }
    await updateAttempt(db, made, { outcome, status: status ?? null, answer: storable(answer).slice(0, storedAnswer), milliseconds: took })
    if (outcome === 'delivered' || outcome === 'refused') {
      await endDelivery(db, row, outcome === 'delivered' ? 'delivered' : 'givenUp', now)
      if (target.failures > 0 || target.retry_at !== null)
        await updateTarget(db, lane, { failures: 0, failing_since: null, retry_at: null })
      return { halt: false }
    }
    const dueAt = outcome === 'gone' ? now : nextAttempt(row.attempts, now, retryAfterSeconds)
    if (dueAt > row.give_up_at) await endDelivery(db, row, 'givenUp', now)
    else await postpone(db, row, dueAt)
    const failures = target.failures + 1
    const since = target.failing_since ?? now
    const reason =
      outcome === 'gone'
        ? 'The receiver wants nothing more'
        : now.getTime() - since.getTime() > stopAfterMilliseconds
          ? 'Every attempt has failed for days'
          : undefined
    const isStopped = reason !== undefined && target.state === 'active'
    const retryAt = (retryAfterSeconds ?? 0) > 0 ? dueAt : nextOfTarget(failures, now)
    await updateTarget(db, lane, {
      failures,
      failing_since: since,
      retry_at: retryAt ?? null,
      ...(isStopped ? { state: 'stopped' as const, reason } : {}),
    })
    return { halt: retryAt !== undefined || isStopped, ...(isStopped ? { stopped: reason } : {}) }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        rouse = () => {}
        resolve()
      }
      const timer = setTimeout(done, pollMilliseconds)
      if (news || ending.signal.aborted) done()
      else rouse = done
    })
  }

  return {
    async stop() {
      ending.abort()
      rouse()
      await running
      const timer = setTimeout(() => cutOff.abort(), farewellMilliseconds)
      await Promise.all(turns)
      clearTimeout(timer)
      await listening.close()
    },
    samples: () => [...counts].flatMap(([kind, of]) => [...of].map(([outcome, value]) => ({ labels: { kind, outcome }, value }))),
  }
}

/** Lets so many go at a time, in the order in which they came. */
function openGate(most: number): <T>(action: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = []
  let inside = 0
  return async (action) => {
    if (inside >= most) await new Promise<void>((resolve) => queue.push(resolve))
    else inside += 1
    try {
      return await action()
    } finally {
      const next = queue.shift()
      if (next === undefined) inside -= 1
      else next()
    }
  }
}
