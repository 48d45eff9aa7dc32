// Delivers numbered events to the rooms that listen, in order and at least once. Each listening room keeps its own position, so a slow
// or failing one holds up nobody else. One server at a time delivers, under an advisory lock that ends with its connection.

import type pg from 'pg'
import type { EventTables } from './events.ts'
import type { House } from './house.ts'
import type { EventDelivery, Room, Subscription } from './serve.ts'

type PositionTables = EventTables & { event_positions: { subscriber: string; sequence: number } }

const lease = 0x62757300
const batch = 200
const pauseMilliseconds = 1_000

export type Bus = { stop(): Promise<void> }

export function startBus(house: House, rooms: readonly Room[]): Bus {
  const listeners = rooms.filter((room) => room.subscriptions.length > 0)
  const ended = new AbortController()
  let wake = () => {}
  const loop = run().catch((error: unknown) => house.log.error({ error }, 'the event bus stopped'))
  return {
    async stop() {
      ended.abort()
      wake()
      await loop
    },
  }

  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        await deliverUnderLease()
      } catch (error) {
        if (!ended.signal.aborted) house.log.warn({ error }, 'events could not be delivered; trying again')
      }
      await pause()
    }
  }

  async function deliverUnderLease(): Promise<void> {
    const client = await house.auditor.pool.connect()
    const connection: { error: Error | undefined } = { error: undefined }
    const onError = (error: Error) => void (connection.error = error)
    client.on('error', onError)
    client.on('notification', () => wake())
    try {
      const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [lease])
      if (rows[0]?.mine !== true) return
      await client.query('listen chancery_numbered')
      while (!ended.signal.aborted && connection.error === undefined) {
        let delivered = 0
        for (const room of listeners) delivered += await deliverTo(room)
        if (delivered === 0) await pause()
      }
      await release(client)
    } finally {
      client.removeAllListeners('notification')
      client.off('error', onError)
      client.release(connection.error ?? ended.signal.aborted)
    }
  }

  async function release(client: pg.PoolClient): Promise<void> {
    await client.query('unlisten chancery_numbered')
    await client.query('select pg_advisory_unlock($1)', [lease])
  }

  async function deliverTo(room: Room): Promise<number> {
    const tables = house.auditor.database.withTables<PositionTables>()
    const position = await tables.selectFrom('event_positions').select('sequence').where('subscriber', '=', room.area).executeTakeFirst()
    const rows = await tables
      .selectFrom('events')
      .selectAll()
      .where('sequence', '>', position?.sequence ?? -1)
      .orderBy('sequence')
      .limit(batch)
      .execute()
    let heard: number | undefined
    for (const row of rows) {
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
      if (row.outcome === 'done' && !(await hear(room, room.subscriptions, event))) break
      heard = event.sequence
    }
    if (heard === undefined) return 0
    await tables
      .insertInto('event_positions')
      .values({ subscriber: room.area, sequence: heard })
      .onConflict((conflict) => conflict.column('subscriber').doUpdateSet({ sequence: heard }))
      .execute()
    return rows.length
  }

  /** False where a listener failed: the room's position stays before this event and it is delivered again. */
  async function hear(room: Room, subscriptions: readonly Subscription[], event: EventDelivery): Promise<boolean> {
    for (const subscription of subscriptions) {
      if (subscription.event !== `${event.area}.${event.name}`) continue
      try {
        await subscription.hear(event, house)
      } catch (error) {
        house.log.error({ error, area: room.area, event: subscription.event, sequence: event.sequence }, 'a listener failed; the event is delivered again')
        return false
      }
    }
    return true
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ended.signal.aborted ? 0 : pauseMilliseconds)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
