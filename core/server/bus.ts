// Delivers numbered events to the rooms that listen, in order and at least once. Each listening room keeps its own position, so a slow
// or failing one holds up nobody else: what becomes of an event that is refused is in bus-refusals.ts. One server at a time delivers.

import { setTimeout as wait } from 'node:timers/promises'
import { hear, openRefusals, type Patience } from './bus-refusals.ts'
import { lastNumber, listEvents, listNames, listPositions, nameOf, updatePosition, type PositionTables } from './bus-store.ts'
import { numberedChannel } from './events.ts'
import type { House } from './house.ts'
import { underLease, type Leased } from './lease.ts'
import type { Room } from './serve.ts'

const lease = 0x62757300
const batch = 200
const pauseMilliseconds = 1_000
/** Under load events come many times a second; those of a moment are delivered together. */
const gatherMilliseconds = 100

const patient: Patience = { tries: 10, firstPause: 1_000, longestPause: 60_000 }

export type Bus = {
  stop(): Promise<void>
  /** How many events are set aside, as the server that delivers has last counted them; 0 on the others. */
  undelivered(): number
}

/** What a room has heard, and how much of that is on record. */
type Standing = { heard: number; written: number }

/** So many events that were not for a room are at most looked at again after a crash. */
const mostUnwritten = 1_000

export function startBus(house: House, rooms: readonly Room[], patience: Patience = patient): Bus {
  const tables = house.auditor.database.withTables<PositionTables>()
  const refusals = openRefusals(house, tables, patience)
  /** By area, while this server delivers. */
  const standings = new Map<string, Standing>()
  const listeners = rooms.filter((room) => room.subscriptions.length > 0)
  const { stop } = underLease(house.auditor.pool, {
    lease,
    channel: numberedChannel,
    work: deliver,
    failed: (error) => house.log.warn({ error }, 'events could not be delivered; trying again'),
  })
  return { stop, undelivered: refusals.setAside }

  async function deliver({ signal, lost, pause }: Leased): Promise<void> {
    try {
      await readStandings()
      for (const room of listeners) await refusals.tryAgain(room)
      await refusals.countSetAside()
      let seen = -1
      while (!signal.aborted) {
        const head = await lastNumber(tables)
        const delivered = head > seen || refusals.any() ? await deliverUpTo(head, seen) : 0
        seen = head
        if (delivered > 0) continue
        // At the latest after a second: what was numbered may not have been heard of.
        await pause(Math.max(refusals.shortestPause(pauseMilliseconds), 0))
        await wait(gatherMilliseconds, undefined, { signal }).catch(() => {})
      }
      // Whoever has taken over meanwhile knows better.
      if (!lost()) for (const [area, standing] of standings) await writeStanding(area, standing)
    } finally {
      refusals.forgetCount()
    }
  }

  async function readStandings(): Promise<void> {
    standings.clear()
    for (const { area } of listeners) standings.set(area, { heard: -1, written: -1 })
    for (const { subscriber, sequence } of await listPositions(tables))
      if (standings.has(subscriber)) standings.set(subscriber, { heard: sequence, written: sequence })
  }

  async function writeStanding(area: string, standing: Standing): Promise<void> {
    if (standing.heard <= standing.written) return
    await updatePosition(tables, area, standing.heard)
    standing.written = standing.heard
  }

  /** Most events are for nobody, and of those that have come since `seen` all are looked at at once. Returns how many were delivered. */
  async function deliverUpTo(head: number, seen: number): Promise<number> {
    const told = await listNames(tables, seen, head)
    let delivered = 0
    for (const room of listeners) {
      const standing = standings.get(room.area)
      if (standing === undefined) continue
      if (standing.heard < seen || seen < 0 || room.subscriptions.some(({ event }) => told.has(nameOf(event))))
        delivered += await deliverTo(room, standing, head)
      else standing.heard = Math.max(standing.heard, head)
      if (standing.heard - standing.written >= mostUnwritten) await writeStanding(room.area, standing)
    }
    return delivered
  }

  /** Of the events up to `head` only those that the room listens to are read. */
  async function deliverTo(room: Room, standing: Standing, head: number): Promise<number> {
    if (refusals.pauseOf(room) > 0) return 0
    const names = room.subscriptions.map(({ event }) => event)
    const rows = await listEvents(tables, names, { after: standing.heard, upTo: head, most: batch })
    let before: number | undefined
    let heard = rows.length < batch ? head : undefined
    for (const row of rows) {
      const sequence = row.sequence ?? 0
      const error = row.outcome === 'done' ? await hear(house, room, row) : undefined
      if (error !== undefined && !(await refusals.passBy(room, row, error))) {
        heard = before
        break
      }
      refusals.heardBy(room)
      before = sequence
      if (rows.length === batch) heard = sequence
    }
    if (heard === undefined || heard <= standing.heard) return 0
    standing.heard = heard
    if (rows.length > 0) await writeStanding(room.area, standing)
    return rows.length
  }
}
