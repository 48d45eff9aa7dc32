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

/** The position of a room in the numbered events: `heard` in memory, `written` in the database. */
type Position = { heard: number; written: number }

/** Writes the position at the latest after so many events that were not for the room, because a crash reads them again. */
const mostUnwritten = 1_000

export function startBus(house: House, rooms: readonly Room[], patience: Patience = patient): Bus {
  const tables = house.auditor.database.withTables<PositionTables>()
  const refusals = openRefusals(house, tables, patience)
  /** The positions by area, while this server delivers. */
  const positions = new Map<string, Position>()
  const listeners = rooms.filter((room) => room.subscriptions.length > 0)
  const { stop } = underLease(house.held, {
    lease,
    channel: numberedChannel,
    work: deliver,
    failed: (error) => house.log.warn({ error }, 'events could not be delivered; trying again'),
  })
  return { stop, undelivered: refusals.setAside }

  async function deliver({ signal, lost, pause }: Leased): Promise<void> {
    try {
      await readPositions()
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
      // Writes nothing where another server has taken over, because its positions are newer.
      if (!lost()) for (const [area, position] of positions) await writePosition(area, position)
    } finally {
      refusals.forgetCount()
    }
  }

  async function readPositions(): Promise<void> {
    positions.clear()
    for (const { area } of listeners) positions.set(area, { heard: -1, written: -1 })
    for (const { subscriber, sequence } of await listPositions(tables))
      if (positions.has(subscriber)) positions.set(subscriber, { heard: sequence, written: sequence })
  }

  async function writePosition(area: string, position: Position): Promise<void> {
    if (position.heard <= position.written) return
    await updatePosition(tables, area, position.heard)
    position.written = position.heard
  }

  /** Reads the names of all events since `seen` once, because most events are for no room. Answers how many were delivered. */
  async function deliverUpTo(head: number, seen: number): Promise<number> {
    const names = await listNames(tables, seen, head)
    let delivered = 0
    for (const room of listeners) {
      const position = positions.get(room.area)
      if (position === undefined) continue
      if (position.heard < seen || seen < 0 || room.subscriptions.some(({ event }) => names.has(nameOf(event))))
        delivered += await deliverTo(room, position, head)
      else position.heard = Math.max(position.heard, head)
      if (position.heard - position.written >= mostUnwritten) await writePosition(room.area, position)
    }
    return delivered
  }

  /** Reads and delivers the events up to `head` that the room listens to. */
  async function deliverTo(room: Room, position: Position, head: number): Promise<number> {
    if (refusals.pauseOf(room) > 0) return 0
    const names = room.subscriptions.map(({ event }) => event)
    const rows = await listEvents(tables, names, { after: position.heard, upTo: head, most: batch })
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
    if (heard === undefined || heard <= position.heard) return 0
    position.heard = heard
    if (rows.length > 0) await writePosition(room.area, position)
    return rows.length
  }
}
