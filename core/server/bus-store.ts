// What the bus reads and writes: how far each room has heard, the numbered events that it listens to, and what was set aside.

import type { Kysely } from 'kysely'
import type { Named } from '#core/contract/contract.ts'
import type { EventRow, EventTables } from './events.ts'

export type PositionTables = EventTables & {
  event_positions: { subscriber: string; sequence: number }
  undelivered_events: { subscriber: string; sequence: number; event_id: string; at: Date }
}

export const nameOf = ({ area, name }: Named): string => `${area}.${name}`

type Tables = Kysely<PositionTables>

/** Finds the number of the last event; -1 where there is none. */
export async function lastNumber(tables: Tables): Promise<number> {
  const last = await tables
    .selectFrom('events')
    .select('sequence')
    .where('sequence', 'is not', null)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.sequence ?? -1
}

export const listPositions = (tables: Tables): Promise<PositionTables['event_positions'][]> =>
  tables.selectFrom('event_positions').selectAll().execute()

export async function updatePosition(tables: Tables, subscriber: string, sequence: number): Promise<void> {
  await tables
    .insertInto('event_positions')
    .values({ subscriber, sequence })
    .onConflict((conflict) => conflict.column('subscriber').doUpdateSet({ sequence }))
    .execute()
}

/** Lists which events there are behind one number and up to another, each once, as `area.name`. */
export async function listNames(tables: Tables, after: number, upTo: number): Promise<Set<string>> {
  const rows = await tables
    .selectFrom('events')
    .select(['area', 'name'])
    .distinct()
    .where('sequence', '>', after)
    .where('sequence', '<=', upTo)
    .execute()
  return new Set(rows.map(nameOf))
}

/** Lists the first of those events that are named so, in their order. */
export const listEvents = (
  tables: Tables,
  names: readonly Named[],
  { after, upTo, most }: { after: number; upTo: number; most: number },
): Promise<EventRow[]> =>
  tables
    .selectFrom('events')
    .selectAll()
    .where('sequence', '>', after)
    .where('sequence', '<=', upTo)
    .where((all) => all.or(names.map(({ area, name }) => all.and([all('area', '=', area), all('name', '=', name)]))))
    .orderBy('sequence')
    .limit(most)
    .execute()

export async function insertUndelivered(tables: Tables, subscriber: string, { id, sequence }: EventRow, at: Date): Promise<void> {
  await tables
    .insertInto('undelivered_events')
    .values({ subscriber, sequence: sequence ?? 0, event_id: id, at })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Lists what was set aside for a room, each once. */
export const listUndelivered = (tables: Tables, subscriber: string): Promise<EventRow[]> =>
  tables
    .selectFrom('events')
    .selectAll('events')
    .innerJoin('undelivered_events as aside', 'aside.sequence', 'events.sequence')
    .where('aside.subscriber', '=', subscriber)
    .orderBy('aside.sequence')
    .execute()

export async function deleteUndelivered(tables: Tables, subscriber: string, { sequence }: EventRow): Promise<void> {
  await tables
    .deleteFrom('undelivered_events')
    .where('subscriber', '=', subscriber)
    .where('sequence', '=', sequence ?? 0)
    .execute()
}

export async function countUndelivered(tables: Tables): Promise<number> {
  const { count } = await tables
    .selectFrom('undelivered_events')
    .select((all) => all.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
