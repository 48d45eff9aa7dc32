// The log as it is searched. What was typed finds an event in four ways, and each is quick in another: by what the event is called, by what it is about and by
// who did it, along an index from the newest on; and by any text in it, for which there is no index that row security would let the database use, so that only
// a bounded number of the newest is looked through. Who did it is looked for in the last two ways. No event is found in two of them, so that they can be counted and cut as one list.

import { sql, type RawBuilder } from 'kysely'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { EventRow } from '#core/server/events.ts'
import { outcomes } from '../contract.ts'
import { textSearchDepth } from '../rules.ts'

export type EventFilter = {
  area: string
  name: string
  event: string
  outcome: '' | EventRow['outcome']
  actor: string
  about: string
  from: string
  to: string
  text: string
}

/** What the text was found to mean: events by `area.name`, and things and people by id. `actors`: whom the filter by actor means, by id. */
export type Meant = { events: readonly string[]; ids: readonly string[]; actors: readonly string[] }

export type EventCursor = { at: Date; id: string }

type Order = { direction: 'asc' | 'desc'; limit: number; after?: EventCursor | undefined }

const holds = (column: 'actor' | 'about' | 'body' | 'name' | 'area', text: string) =>
  sql`position(lower(${text}) in lower(${sql.ref(column)})) > 0`

const both = (conditions: readonly RawBuilder<unknown>[]) => sql.join(conditions, sql` and `)

function conditionsOf(tenantId: string, filter: EventFilter): RawBuilder<unknown>[] {
  const conditions = [sql`tenant_id = ${tenantId}`]
  if (filter.area !== '') conditions.push(sql`area = ${filter.area}`)
  if (filter.name !== '') conditions.push(sql`name = ${filter.name}`)
  if (filter.event !== '') {
    const [area = '', ...name] = filter.event.split('.')
    conditions.push(sql`area = ${area}`, sql`name = ${name.join('.')}`)
  }
  if (filter.outcome !== '') conditions.push(sql`outcome = ${filter.outcome}`)
  if (filter.about !== '') conditions.push(sql`about = ${filter.about}`)
  if (filter.from !== '') conditions.push(sql`at >= ${new Date(filter.from)}`)
  if (filter.to !== '') conditions.push(sql`at <= ${new Date(filter.to)}`)
  return conditions
}

/** The first events of the filter in this order, from behind one of them. */
function found(
  columns: RawBuilder<unknown>,
  tenantId: string,
  filter: EventFilter,
  { events, ids, actors }: Meant,
  { direction, limit, after }: Order,
): RawBuilder<unknown> {
  const own = conditionsOf(tenantId, filter)
  const from =
    after === undefined ? [] : [sql`(at, id) ${sql.raw(direction === 'desc' ? '<' : '>')} (${after.at}::timestamptz, ${after.id}::uuid)`]
  const cut = sql`order by at ${sql.raw(direction)}, id ${sql.raw(direction)} limit ${limit}`
  const where = (...more: RawBuilder<unknown>[]) => sql`select ${columns} from events where ${both([...own, ...from, ...more])} ${cut}`
  const { text, actor } = filter
  if (text === '' && actor === '') return where()
  const isCalled = sql`area || '.' || name = any(${events}::text[])`
  const isAbout = sql`about = any(${ids}::text[])`
  const isBy = sql`(actor_id = any(${ids}::uuid[])) is true`
  const called = events.map((event) => event.split('.'))
  const newest = sql`select * from events where ${both(own)} order by at desc, id desc limit ${textSearchDepth}`
  const saysText = sql`(${sql.join(
    (['body', 'about', 'name', 'area', 'actor'] as const).map((column) => holds(column, text)),
    sql` or `,
  )})`
  const union = (ways: readonly RawBuilder<unknown>[]) =>
    sql`select * from (${sql.join(
      ways.map((way) => sql`(${way})`),
      sql` union all `,
    )}) as found ${cut}`
  const amongNewest = (...more: RawBuilder<unknown>[]) =>
    sql`select ${columns} from (${newest}) as newest where ${both([...from, ...more])} ${cut}`
  if (actor !== '') {
    const isActor = sql`(actor_id = any(${actors}::uuid[])) is true`
    // A text besides may be in few of somebody's events: both are looked for in the newest.
    if (text !== '')
      return amongNewest(sql`(${isActor} or ${holds('actor', actor)})`, sql`(${isCalled} or ${isAbout} or ${isBy} or ${saysText})`)
    return union([
      sql`select each.* from unnest(${actors}::uuid[]) as meant (person) cross join lateral (${where(sql`actor_id = person`)}) as each`,
      amongNewest(holds('actor', actor), sql`not ${isActor}`),
    ])
  }
  return union([
    sql`select each.* from unnest(${called.map(([area]) => area)}::text[], ${called.map(([, name]) => name)}::text[]) as called (its_area, its_name), unnest(${filter.outcome === '' ? outcomes : [filter.outcome]}::text[]) as ended (its_outcome) cross join lateral (${where(sql`area = its_area`, sql`name = its_name`, sql`outcome = its_outcome`)}) as each`,
    sql`select each.* from unnest(${ids}::text[]) as meant (thing) cross join lateral (${where(sql`about = thing`, sql`about <> ''`, sql`not ${isCalled}`)}) as each`,
    sql`select each.* from unnest(${ids}::uuid[]) as meant (person) cross join lateral (${where(sql`actor_id = person`, sql`not ${isCalled}`, sql`not ${isAbout}`)}) as each`,
    amongNewest(saysText, sql`not ${isCalled}`, sql`not ${isAbout}`, sql`not ${isBy}`),
  ])
}

/** So many values of a facet are counted, those with the most events. */
const mostValues = 50

type Facets = Record<'area' | 'outcome' | 'event' | 'actor', Record<string, number>>

/** A page, how many there are, counted up to `countedUpTo`, and how many of each area and outcome, whatever the filter says of that one. */
export async function searchEvents(
  db: Database,
  tenantId: string,
  filter: EventFilter,
  meant: Meant,
  page: { page: number; size: number; direction: 'asc' | 'desc' },
): Promise<{ rows: EventRow[]; total: number; more: boolean; facets: Facets }> {
  const { ids, total, ...facets } = await countEvents(db, tenantId, filter, meant, page)
  const other = (column: keyof Facets) =>
    filter[column] === '' ? undefined : countEvents(db, tenantId, { ...filter, [column]: '' }, meant, { ...page, page: 1 })
  const [areas, ends, events, actors] = [await other('area'), await other('outcome'), await other('event'), await other('actor')]
  const { rows } =
    await sql<EventRow>`select * from events where tenant_id = ${tenantId} and id = any(${ids}::uuid[]) order by at ${sql.raw(page.direction)}, id ${sql.raw(page.direction)}`.execute(
      db,
    )
  return {
    rows,
    total: Math.min(total, countedUpTo),
    more: total > countedUpTo,
    facets: {
      area: areas?.area ?? facets.area,
      outcome: ends?.outcome ?? facets.outcome,
      event: events?.event ?? facets.event,
      actor: actors?.actor ?? facets.actor,
    },
  }
}

async function countEvents(
  db: Database,
  tenantId: string,
  filter: EventFilter,
  meant: Meant,
  { page, size, direction }: { page: number; size: number; direction: 'asc' | 'desc' },
): Promise<Facets & { ids: string[]; total: number }> {
  const each = (value: RawBuilder<unknown>) =>
    sql`(select coalesce(json_object_agg(value, count), '{}') from (select ${value} as value, count(*) as count from found where place <= ${countedUpTo} group by 1 order by 2 desc limit ${mostValues}) as counts)`
  const { rows } = await sql<Facets & { ids: string[]; total: number }>`
    with found as materialized (
      select *, row_number() over (order by at ${sql.raw(direction)}, id ${sql.raw(direction)}) as place
      from (${found(sql`area, name, actor, outcome, at, id`, tenantId, filter, meant, { direction, limit: countedUpTo + 1 })}) as all_found
    )
    select (select count(*)::int from found) as total, ${each(sql`area`)} as area, ${each(sql`outcome`)} as outcome,
      ${each(sql`area || '.' || name`)} as event, ${each(sql`actor`)} as actor,
      array(select id from found where place > ${(page - 1) * size} and place <= ${page * size}) as ids`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('A count without a row')
  return row
}

/** The next part of an export, newest first. */
export async function eventsBefore(
  db: Database,
  tenantId: string,
  filter: EventFilter,
  meant: Meant,
  cursor: EventCursor | undefined,
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`${found(sql`*`, tenantId, filter, meant, { direction: 'desc', limit, after: cursor })}`.execute(db)
  return rows
}

/** Who asked for these requests, and who agreed to them, in the order in which it was done. */
export async function partsInRequests(
  db: Database,
  tenantId: string,
  requestIds: readonly string[],
): Promise<{ about: string; name: 'requested' | 'approved'; actor: string }[]> {
  if (requestIds.length === 0) return []
  const { rows } = await sql<{ about: string; name: 'requested' | 'approved'; actor: string }>`
    select about, name, actor from events
    where tenant_id = ${tenantId} and about = any(${requestIds}::text[]) and name in ('requested', 'approved') and outcome = 'done'
    order by at, id`.execute(db)
  return rows
}
