// Delivers numbered events to the rooms that listen, in order and at least once. Each listening room keeps its own position, so a slow
// or failing one holds up nobody else. An event that a room refuses is tried again after growing pauses; refused to the end it is set aside
// and the room's delivery goes on. What is set aside is tried once more whenever a server starts to deliver: after a mended release.
// One server at a time delivers.

import { setTimeout as wait } from 'node:timers/promises'
import { numberedChannel, type EventRow, type EventTables } from './events.ts'
import type { House } from './house.ts'
import { underLease, type Leased } from './lease.ts'
import type { EventDelivery, Room } from './serve.ts'

type PositionTables = EventTables & {
  event_positions: { subscriber: string; sequence: number }
  undelivered_events: { subscriber: string; sequence: number; event_id: string; at: Date }
}

const lease = 0x62757300
const batch = 200
const pauseMilliseconds = 1_000
/** Under load events come many times a second; those of a moment are delivered together. */
const gatherMilliseconds = 100

/** The pauses between two tries of one event double, up to the longest. */
export type Patience = { tries: number; firstPause: number; longestPause: number }
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

/** The event that a room has refused, how often, and when it is due again. */
type Refused = { sequence: number; tries: number; due: number }

export function startBus(house: House, rooms: readonly Room[], patience: Patience = patient): Bus {
  const tables = house.auditor.database.withTables<PositionTables>()
  const refused = new Map<string, Refused>()
  /** By area, while this server delivers. */
  const standings = new Map<string, Standing>()
  let setAside = 0
  const listeners = rooms.filter((room) => room.subscriptions.length > 0)
  const { stop } = underLease(house.auditor.pool, {
    lease,
    channel: numberedChannel,
    work: deliver,
    failed: (error) => house.log.warn({ error }, 'events could not be delivered; trying again'),
  })
  return { stop, undelivered: () => setAside }

  async function deliver({ signal, lost, pause }: Leased): Promise<void> {
    try {
      await readStandings()
      for (const room of listeners) await tryAgain(room)
      await countSetAside()
      let seen = -1
      while (!signal.aborted) {
        const head = await lastNumber()
        const delivered = head > seen || refused.size > 0 ? await deliverUpTo(head, seen) : 0
        seen = head
        if (delivered > 0) continue
        await pause(untilNextTry())
        await wait(gatherMilliseconds, undefined, { signal }).catch(() => {})
      }
      // Whoever has taken over meanwhile knows better.
      if (!lost()) for (const [area, standing] of standings) await writeStanding(area, standing)
    } finally {
      setAside = 0
    }
  }

  async function lastNumber(): Promise<number> {
    return (
      (
        await tables
          .selectFrom('events')
          .select('sequence')
          .where('sequence', 'is not', null)
          .orderBy('sequence', 'desc')
          .limit(1)
          .executeTakeFirst()
      )?.sequence ?? -1
    )
  }

  async function readStandings(): Promise<void> {
    standings.clear()
    for (const { area } of listeners) standings.set(area, { heard: -1, written: -1 })
    for (const { subscriber, sequence } of await tables.selectFrom('event_positions').selectAll().execute())
      if (standings.has(subscriber)) standings.set(subscriber, { heard: sequence, written: sequence })
  }

  async function writeStanding(area: string, standing: Standing): Promise<void> {
    if (standing.heard <= standing.written) return
    await tables
      .insertInto('event_positions')
      .values({ subscriber: area, sequence: standing.heard })
      .onConflict((conflict) => conflict.column('subscriber').doUpdateSet({ sequence: standing.heard }))
      .execute()
    standing.written = standing.heard
  }

  /** Most events are for nobody, and of those that have come since `seen` all are looked at at once. Returns how many were delivered. */
  async function deliverUpTo(head: number, seen: number): Promise<number> {
    const come = await tables
      .selectFrom('events')
      .select(['area', 'name'])
      .distinct()
      .where('sequence', '>', seen)
      .where('sequence', '<=', head)
      .execute()
    const told = new Set(come.map(({ area, name }) => `${area}.${name}`))
    let delivered = 0
    for (const room of listeners) {
      const standing = standings.get(room.area)
      if (standing === undefined) continue
      if (standing.heard < seen || seen < 0 || room.subscriptions.some(({ event }) => told.has(event)))
        delivered += await deliverTo(room, standing, head)
      else standing.heard = Math.max(standing.heard, head)
      if (standing.heard - standing.written >= mostUnwritten) await writeStanding(room.area, standing)
    }
    return delivered
  }

  /** Of the events up to `head` only those that the room listens to are read. */
  async function deliverTo(room: Room, standing: Standing, head: number): Promise<number> {
    if (performance.now() < (refused.get(room.area)?.due ?? 0)) return 0
    const rows = await tables
      .selectFrom('events')
      .selectAll()
      .where('sequence', '>', standing.heard)
      .where('sequence', '<=', head)
      .where((all) =>
        all.or(
          room.subscriptions.map(({ event }) =>
            all.and([all('area', '=', event.split('.')[0] ?? ''), all('name', '=', event.split('.')[1] ?? '')]),
          ),
        ),
      )
      .orderBy('sequence')
      .limit(batch)
      .execute()
    let before: number | undefined
    let heard = rows.length < batch ? head : undefined
    for (const row of rows) {
      const sequence = row.sequence ?? 0
      const error = row.outcome === 'done' ? await hear(room, row) : undefined
      if (error !== undefined && !(await passBy(room, row, error))) {
        heard = before
        break
      }
      refused.delete(room.area)
      before = sequence
      if (rows.length === batch) heard = sequence
    }
    if (heard === undefined || heard <= standing.heard) return 0
    standing.heard = heard
    if (rows.length > 0) await writeStanding(room.area, standing)
    return rows.length
  }

  /** What a listener threw, or undefined where all heard it. */
  async function hear(room: Room, row: EventRow): Promise<unknown> {
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
      for (const subscription of room.subscriptions)
        if (subscription.event === `${event.area}.${event.name}`) await subscription.hear(event, house)
      return undefined
    } catch (error) {
      return error ?? new Error('A listener threw nothing')
    }
  }

  /** After the last try the event is set aside and the room goes on; before that false: its position stays, and the event is delivered again. */
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
    await tables
      .insertInto('undelivered_events')
      .values({ subscriber: room.area, sequence, event_id: row.id, at: house.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await countSetAside()
    house.log.error(facts, 'a listener failed to the end; the event is set aside in undelivered_events and tried again at the next start')
    return true
  }

  /** What was set aside for a room, each once. */
  async function tryAgain(room: Room): Promise<void> {
    const rows = await tables
      .selectFrom('events')
      .selectAll('events')
      .innerJoin('undelivered_events as aside', 'aside.sequence', 'events.sequence')
      .where('aside.subscriber', '=', room.area)
      .orderBy('aside.sequence')
      .execute()
    for (const row of rows) {
      const error = await hear(room, row)
      const facts = { area: room.area, event: `${row.area}.${row.name}`, eventId: row.id }
      if (error !== undefined) {
        house.log.error({ ...facts, error }, 'a listener failed again; the event stays in undelivered_events')
        continue
      }
      await tables
        .deleteFrom('undelivered_events')
        .where('subscriber', '=', room.area)
        .where('sequence', '=', row.sequence ?? 0)
        .execute()
      house.log.info(facts, 'an event that was set aside is delivered')
    }
  }

  async function countSetAside(): Promise<void> {
    setAside = (
      await tables
        .selectFrom('undelivered_events')
        .select((all) => all.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    ).count
  }

  /** At the latest after a second: what was numbered may not have been heard of. */
  function untilNextTry(): number {
    const nextTry = Math.min(...[...refused.values()].map(({ due }) => due - performance.now()), pauseMilliseconds)
    return Math.max(nextTry, 0)
  }
}
