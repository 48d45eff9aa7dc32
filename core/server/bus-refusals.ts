// What becomes of an event that a room refuses: it is tried again after growing pauses, and refused to the end it is set aside. What is set aside is tried once
// more whenever a server starts to deliver: after a mended release.

import type { Kysely } from 'kysely'
import { countUndelivered, deleteUndelivered, insertUndelivered, listUndelivered, type PositionTables, nameOf } from './bus-store.ts'
import type { EventRow } from './events.ts'
import type { House } from './house.ts'
import type { EventDelivery, Room } from './serve.ts'

/** The pauses between two tries of one event double, up to the longest. */
export type Patience = { tries: number; firstPause: number; longestPause: number }

/** The event that a room has refused, how often, and when it is due again. */
type Refused = { sequence: number; tries: number; due: number }

export type Refusals = {
  /** Gives the milliseconds until the room's refused event is due again; 0 or less where it is, or where there is none. */
  pauseOf(room: Room): number
  /** Tells whether any room has refused an event that is not set aside. */
  any(): boolean
  /** Gives the shortest pause of all rooms, but at most this one. */
  shortestPause(most: number): number
  heardBy(room: Room): void
  /** After the last try the event is set aside and true is given; before that false: the room's position stays, and the event is delivered again. */
  passBy(room: Room, row: EventRow, error: unknown): Promise<boolean>
  /** Delivers once more what was set aside for a room. */
  tryAgain(room: Room): Promise<void>
  countSetAside(): Promise<void>
  /** How many events are set aside, as they were counted last. */
  setAside(): number
  forgetCount(): void
}

export function openRefusals(house: House, tables: Kysely<PositionTables>, patience: Patience): Refusals {
  const refused = new Map<string, Refused>()
  let setAside = 0
  const pauseOf = ({ area }: Room) => (refused.get(area)?.due ?? 0) - performance.now()

  return {
    pauseOf,
    any: () => refused.size > 0,
    shortestPause: (most) => Math.min(...[...refused.values()].map(({ due }) => due - performance.now()), most),
    heardBy: ({ area }) => void refused.delete(area),
    passBy,
    tryAgain,
    countSetAside,
    setAside: () => setAside,
    forgetCount: () => void (setAside = 0),
  }

  async function passBy(room: Room, row: EventRow, error: unknown): Promise<boolean> {
    const sequence = row.sequence ?? 0
    const before = refused.get(room.area)
    const tries = before?.sequence === sequence ? before.tries + 1 : 1
    const facts = { error, area: room.area, event: `${row.area}.${row.name}`, eventId: row.id, sequence, tries }
    if (tries < patience.tries) {
      refused.set(room.area, {
        sequence,
        tries,
        due: performance.now() + Math.min(patience.firstPause * 2 ** (tries - 1), patience.longestPause),
      })
      house.log.warn(facts, 'a listener failed; the event is delivered again')
      return false
    }
    await insertUndelivered(tables, room.area, row, house.now())
    await countSetAside()
    house.log.error(facts, 'a listener failed to the end; the event is set aside in undelivered_events and tried again at the next start')
    return true
  }

  async function tryAgain(room: Room): Promise<void> {
    for (const row of await listUndelivered(tables, room.area)) {
      const error = await hear(house, room, row)
      const facts = { area: room.area, event: `${row.area}.${row.name}`, eventId: row.id }
      if (error !== undefined) {
        house.log.error({ ...facts, error }, 'a listener failed again; the event stays in undelivered_events')
        continue
      }
      await deleteUndelivered(tables, room.area, row)
      house.log.info(facts, 'an event that was set aside is delivered')
    }
  }

  async function countSetAside(): Promise<void> {
    setAside = await countUndelivered(tables)
  }
}

/** Tells a room of an event. Gives what a listener threw; undefined where all heard it. */
export async function hear(house: House, room: Room, row: EventRow): Promise<unknown> {
  const event: EventDelivery = {
    tenantId: row.tenant_id,
    id: row.id,
    at: row.at,
    area: row.area,
    name: row.name,
    about: row.about,
    body: JSON.parse(row.body),
    actor: row.actor,
    actorId: row.actor_id ?? undefined,
    sequence: row.sequence ?? 0,
  }
  try {
    for (const subscription of room.subscriptions) if (nameOf(subscription.event) === nameOf(event)) await subscription.hear(event, house)
    return undefined
  } catch (error) {
    return error ?? new Error('A listener threw nothing')
  }
}
