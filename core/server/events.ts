// One row for each change, in the transaction of the change: the audit record and the message on the bus at once.
// If the row cannot be written, the work is undone.

import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Actor } from './actor.ts'
import type { Statement } from './batch.ts'
import type { Database } from './database.ts'
import { AuditFailure } from './fault.ts'
import { insertRows } from './insert-rows.ts'

/** Events that belong to no tenancy (a refused sign-in of an unknown name) stand under this id. */
export const installationTenant = '00000000-0000-0000-0000-000000000000'

export type EventRow = {
  tenant_id: string
  id: string
  at: Date
  actor_id: string | null
  actor: string
  address: string
  area: string
  name: string
  outcome: 'done' | 'refused' | 'failed'
  about: string
  body: string
  request_id: string
  sequence: number | null
}

export type EventTables = { events: EventRow }

export type NewEvent = Omit<EventRow, 'tenant_id' | 'id' | 'sequence'>

/** The row that says that something was done. */
export const doneEvent = (
  at: Date,
  { userId, name: actor, address = '', requestId = '' }: Actor & { requestId?: string },
  what: { area: string; name: string; body: unknown; about?: string | undefined },
): NewEvent => ({
  at,
  actor_id: userId ?? null,
  actor,
  address,
  area: what.area,
  name: what.name,
  outcome: 'done',
  about: what.about ?? '',
  body: JSON.stringify(what.body),
  request_id: requestId,
})

/**
 * A UUID version 7 (RFC 9562 5.7): ordered by time, so that indexes grow at one end. Those of one process and one millisecond are counted (6.2, method 1),
 * so that of two events the first is numbered first, however quickly the second followed.
 */
export function timeOrderedId(now: Date): string {
  const time = now.getTime()
  counted = time === countedTime ? Math.min(counted + 1, 0xfff) : 0
  countedTime = time
  const hex = time.toString(16).padStart(12, '0')
  // Variant and random bits are those of version 4, which Node has ready in store.
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${counted.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`
}

/** No id that was made at this time or later is less. */
export const firstIdOf = (time: Date): string => {
  const hex = Math.max(time.getTime(), 0).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

let countedTime = 0
let counted = 0

/** Where servers hear that there are new events. */
export const eventChannel = 'chancery_events'
/** What is said there of events after which nobody need read anything anew. */
export const quiet = 'quiet'
/** Where servers hear that events have their numbers. */
export const numberedChannel = 'chancery_numbered'

/** Statements that write events which change nothing that anybody remembers, as they come thousands of times a second. There must be one. */
export const quietEvents = (tenantId: string, events: readonly NewEvent[]): Statement[] => [
  {
    ...insertRows(
      'events',
      eventColumns,
      events.map((event) => ({ ...event, tenant_id: tenantId, id: timeOrderedId(event.at) })),
    ),
    failure: (cause) => new AuditFailure('The event could not be recorded', { cause }),
  },
  { name: 'tell-of-events', text: 'select pg_notify($1, $2)', values: [eventChannel, quiet] },
]
const eventColumns = {
  tenant_id: 'uuid',
  id: 'uuid',
  at: 'timestamptz',
  actor_id: 'uuid',
  actor: 'text',
  address: 'text',
  area: 'text',
  name: 'text',
  outcome: 'text',
  about: 'text',
  body: 'text',
  request_id: 'text',
} as const satisfies { [column in Exclude<keyof EventRow, 'sequence'>]: string }

/** Writes events of one tenant into the open transaction, whose tenant must be set to it. */
export async function writeEvents(database: Database, tenantId: string, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  try {
    await database
      .withTables<EventTables>()
      .insertInto('events')
      .values(events.map((event) => ({ ...event, tenant_id: tenantId, id: timeOrderedId(event.at) })))
      .execute()
    await sql`select pg_notify(${eventChannel}, '')`.execute(database)
  } catch (error) {
    throw new AuditFailure('The event could not be recorded', { cause: error })
  }
}

/** Whether the tenant's log has this event about this already: for those who hear of one thing twice. */
export async function isRecorded(
  database: Database,
  tenantId: string,
  { area, name, about }: Pick<EventRow, 'area' | 'name' | 'about'>,
): Promise<boolean> {
  const row = await database
    .withTables<EventTables>()
    .selectFrom('events')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('area', '=', area)
    .where('name', '=', name)
    .where('about', '=', about)
    .executeTakeFirst()
  return row !== undefined
}
