// The rows of deliveries: what waits, what was tried, how each target fares, and the lanes by which servers share the work.

import { sql, type Generated } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Database } from '../database.ts'
import { timeOrderedId } from '../events.ts'
import { readPage } from '../page-store.ts'

type DeliveryTables = {
  deliveries: {
    tenant_id: string
    id: string
    kind: string
    target: string
    key: string
    payload: string
    status: 'waiting' | 'delivered' | 'givenUp'
    attempts: number
    due_at: Date | null
    give_up_at: Date
    queued_at: Generated<Date>
    ended_at: Date | null
  }
  delivery_attempts: {
    tenant_id: string
    delivery_id: string
    number: number
    at: Date
    outcome: 'running' | 'delivered' | 'failed' | 'refused' | 'gone'
    status: number | null
    answer: string
    milliseconds: number | null
  }
  delivery_targets: {
    tenant_id: string
    kind: string
    target: string
    state: 'active' | 'paused' | 'stopped'
    reason: string
    failures: number
    failing_since: Date | null
    retry_at: Date | null
  }
  delivery_lanes: {
    tenant_id: string
    kind: string
    target: string
    due_at: Date | null
    leased_until: Date | null
    lease: string | null
  }
  delivery_wakes: { id: Generated<string>; tenant_id: string; kind: string; target: string }
}

const tables = (db: Database) => db.withTables<DeliveryTables>()

/** One target of one tenancy. */
export type Lane = { tenantId: string; kind: string; target: string }
export type LeasedLane = Lane & { lease: string }

export type DeliveryRow = Omit<DeliveryTables['deliveries'], 'queued_at'> & { queued_at: Date }
export type AttemptRow = DeliveryTables['delivery_attempts']
export type TargetRow = DeliveryTables['delivery_targets']

/** Where servers hear that something is to be delivered. */
export const deliveryChannel = 'chancery_deliveries'

const columnsOf = ({ tenantId, kind, target }: Lane) => ({ tenant_id: tenantId, kind, target })
const inLane = ({ tenantId, kind, target }: Lane) => sql<boolean>`tenant_id = ${tenantId} and kind = ${kind} and target = ${target}`
const waitingIn = (lane: Lane) => sql<boolean>`${inLane(lane)} and status = 'waiting'`

/** Has the servers look at a lane once the transaction is committed. */
export async function wakeLane(db: Database, lane: Lane): Promise<void> {
  await tables(db).insertInto('delivery_wakes').values(columnsOf(lane)).execute()
  await sql`select pg_notify(${deliveryChannel}, '')`.execute(db)
}

export type NewDelivery = Lane & { key: string; payload: string; giveUpAt: Date; now: Date }

export async function insertDelivery(db: Database, { key, payload, giveUpAt, now, ...lane }: NewDelivery): Promise<string> {
  const id = timeOrderedId(now)
  // Shared with others who queue, and not with who ends that one: so its end finds this row, or this row finds its end.
  const before =
    key === ''
      ? undefined
      : (
          await sql`select id from deliveries where ${waitingIn(lane)} and key = ${key} and key <> '' order by queued_at, id limit 1 for share`.execute(
            db,
          )
        ).rows[0]
  await tables(db)
    .insertInto('deliveries')
    .values({
      ...columnsOf(lane),
      id,
      key,
      payload,
      status: 'waiting',
      attempts: 0,
      due_at: before === undefined ? now : null,
      give_up_at: giveUpAt,
      ended_at: null,
    })
    .execute()
  if (before === undefined) await wakeLane(db, lane)
  return id
}

/** Makes lanes due of which somebody has said that they have work. */
export async function takeWakes(db: Database, now: Date): Promise<void> {
  await sql`
    with taken as (
      delete from delivery_wakes where id in (select id from delivery_wakes order by id limit 1000 for update skip locked)
      returning tenant_id, kind, target
    )
    insert into delivery_lanes (tenant_id, kind, target, due_at)
    select distinct tenant_id, kind, target, ${now}::timestamptz from taken order by 1, 2, 3
    on conflict (tenant_id, kind, target) do update set due_at = excluded.due_at
    where delivery_lanes.due_at is null or delivery_lanes.due_at > excluded.due_at`.execute(db)
}

export type Claim = { now: Date; until: Date; most: number; mostOfTenancy: number; kinds: readonly string[] }

/** Leases due lanes: the first of each tenancy before the second of any, and of one tenancy no more than `mostOfTenancy` at a time on all servers together. */
export async function claimLanes(db: Database, { now, until, most, mostOfTenancy, kinds }: Claim): Promise<LeasedLane[]> {
  const { rows } = await sql<{ tenant_id: string; kind: string; target: string; lease: string }>`
    with due as (
      select tenant_id, kind, target, due_at, row_number() over (partition by tenant_id order by due_at, kind, target) as place
      from delivery_lanes
      where due_at <= ${now} and (leased_until is null or leased_until <= ${now}) and kind = any(${[...kinds]}::text[])
    ), chosen as (
      select tenant_id, kind, target from due
      where place + (select count(*) from delivery_lanes busy where busy.tenant_id = due.tenant_id and busy.leased_until > ${now}) <= ${mostOfTenancy}
      order by place, due_at limit ${most}
    )
    update delivery_lanes lane set leased_until = ${until}, lease = ${randomUUID()}
    from chosen
    where lane.tenant_id = chosen.tenant_id and lane.kind = chosen.kind and lane.target = chosen.target
      and lane.due_at <= ${now} and (lane.leased_until is null or lane.leased_until <= ${now})
    returning lane.tenant_id, lane.kind, lane.target, lane.lease`.execute(db)
  return rows.map(({ tenant_id, kind, target, lease }) => ({ tenantId: tenant_id, kind, target, lease }))
}

/** Gives a lane back, due when its next delivery is, or when something in it is to be given up or removed. What has come meanwhile has its wake. */
export async function releaseLane(db: Database, { lease, ...lane }: LeasedLane, keep: number): Promise<void> {
  const { rows } = await sql`select 1 from delivery_lanes where ${inLane(lane)} and lease = ${lease} for update`.execute(db)
  // Another server has it by now.
  if (rows.length === 0) return
  await sql`
    with target as (select state, retry_at from delivery_targets where ${inLane(lane)})
    update delivery_lanes set leased_until = null, lease = null, due_at = least(
      case when coalesce((select state from target), 'active') = 'active' then (
        select greatest(min(due_at), (select retry_at from target)) from deliveries where ${waitingIn(lane)} having min(due_at) is not null
      ) end,
      (select min(give_up_at) from deliveries where ${waitingIn(lane)}),
      (select min(ended_at) from deliveries where ${inLane(lane)} and ended_at is not null) + ${keep} * interval '1 millisecond'
    )
    where ${inLane(lane)} and exists (select 1 from deliveries where ${inLane(lane)})`.execute(db)
  await sql`delete from delivery_lanes where ${inLane(lane)} and lease = ${lease} and not exists (select 1 from deliveries where ${inLane(lane)})`.execute(
    db,
  )
}

/** Gives up what has waited too long, and removes what has ended long ago; some of it, so that it takes no long time. */
export async function tidyLane(db: Database, lane: Lane, { now, keep }: { now: Date; keep: number }): Promise<number> {
  const given = await sql`
    update deliveries set status = 'givenUp', ended_at = ${now}, due_at = null
    where tenant_id = ${lane.tenantId} and id in (select id from deliveries where ${waitingIn(lane)} and give_up_at <= ${now} limit 500)`.execute(
    db,
  )
  const count = Number(given.numAffectedRows ?? 0)
  if (count > 0)
    await sql`
      update deliveries d set due_at = ${now}
      where d.tenant_id = ${lane.tenantId} and d.id in (
        select distinct on (key) id from deliveries where ${waitingIn(lane)} and key <> '' order by key, queued_at, id
      ) and d.due_at is null`.execute(db)
  await sql`
    delete from deliveries where tenant_id = ${lane.tenantId}
      and id in (select id from deliveries where ${inLane(lane)} and ended_at < ${new Date(now.getTime() - keep)} order by ended_at limit 500)`.execute(
    db,
  )
  return count
}

/** Takes the next delivery that is due: nobody else takes it before `until`. The attempt is on record before it is made, so that one that never ends counts. */
export async function takeNext(db: Database, lane: Lane, { now, until }: { now: Date; until: Date }): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    update deliveries set attempts = attempts + 1, due_at = ${until}
    where tenant_id = ${lane.tenantId} and id = (
      select id from deliveries d where ${waitingIn(lane)} and due_at <= ${now} and (key = '' or not exists (
        select 1 from deliveries e
        where e.tenant_id = d.tenant_id and e.kind = d.kind and e.target = d.target and e.status = 'waiting' and e.key = d.key and e.key <> ''
          and (e.queued_at, e.id) < (d.queued_at, d.id)
      ))
      order by due_at, queued_at, id limit 1 for update skip locked
    )
    returning *`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  await tables(db)
    .insertInto('delivery_attempts')
    .values({
      tenant_id: row.tenant_id,
      delivery_id: row.id,
      number: row.attempts,
      at: now,
      outcome: 'running',
      status: null,
      answer: '',
      milliseconds: null,
    })
    .execute()
  return row
}

/** The target's row, held until the transaction ends. */
export async function lockTarget(db: Database, lane: Lane): Promise<TargetRow> {
  await tables(db)
    .insertInto('delivery_targets')
    .values({ ...columnsOf(lane), state: 'active', reason: '', failures: 0, failing_since: null, retry_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return tables(db).selectFrom('delivery_targets').selectAll().where(inLane(lane)).forUpdate().executeTakeFirstOrThrow()
}

export const findTarget = (db: Database, lane: Lane): Promise<TargetRow | undefined> =>
  tables(db).selectFrom('delivery_targets').selectAll().where(inLane(lane)).executeTakeFirst()

export const updateTarget = async (
  db: Database,
  lane: Lane,
  changes: Partial<Omit<TargetRow, keyof ReturnType<typeof columnsOf>>>,
): Promise<void> => void (await tables(db).updateTable('delivery_targets').set(changes).where(inLane(lane)).execute())

export const updateAttempt = async (
  db: Database,
  { tenantId, id, attempt }: { tenantId: string; id: string; attempt: number },
  changes: Pick<AttemptRow, 'outcome' | 'status' | 'answer' | 'milliseconds'>,
): Promise<void> =>
  void (await tables(db)
    .updateTable('delivery_attempts')
    .set(changes)
    .where('tenant_id', '=', tenantId)
    .where('delivery_id', '=', id)
    .where('number', '=', attempt)
    .execute())

/** Has a delivery wait for its next attempt; one that somebody has taken since is left to them. */
export const postpone = async (db: Database, { tenant_id, id, attempts }: DeliveryRow, dueAt: Date): Promise<void> =>
  void (await tables(db)
    .updateTable('deliveries')
    .set({ due_at: dueAt })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .where('status', '=', 'waiting')
    .where('attempts', '=', attempts)
    .execute())

/** Ends a delivery and lets the next one with its key go. */
export async function endDelivery(db: Database, row: DeliveryRow, status: 'delivered' | 'givenUp', now: Date): Promise<void> {
  await tables(db)
    .updateTable('deliveries')
    .set({ status, ended_at: now, due_at: null })
    .where('tenant_id', '=', row.tenant_id)
    .where('id', '=', row.id)
    .where('status', '=', 'waiting')
    .execute()
  if (row.key === '') return
  const lane = { tenantId: row.tenant_id, kind: row.kind, target: row.target }
  await sql`
    update deliveries set due_at = ${now} where tenant_id = ${row.tenant_id} and due_at is null and id = (
      select id from deliveries where ${waitingIn(lane)} and key = ${row.key} and key <> '' order by queued_at, id limit 1
    )`.execute(db)
}

/** Has one that has ended go once more, under the same id. */
export async function reviveDelivery(
  db: Database,
  tenantId: string,
  id: string,
  times: { now: Date; giveUpAt: Date },
): Promise<Lane | undefined> {
  const row = await tables(db)
    .updateTable('deliveries')
    .set({ status: 'waiting', due_at: times.now, give_up_at: times.giveUpAt, ended_at: null })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '<>', 'waiting')
    .returning(['kind', 'target'])
    .executeTakeFirst()
  return row === undefined ? undefined : { tenantId, ...row }
}

export async function deleteTarget(db: Database, lane: Lane): Promise<void> {
  // In the order in which an outcome is recorded: the target before its deliveries.
  await lockTarget(db, lane)
  await tables(db).deleteFrom('deliveries').where(inLane(lane)).execute()
  await tables(db).deleteFrom('delivery_targets').where(inLane(lane)).execute()
}

export const findDelivery = (db: Database, tenantId: string, id: string): Promise<DeliveryRow | undefined> =>
  tables(db).selectFrom('deliveries').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

export const attemptsOf = (db: Database, tenantId: string, id: string): Promise<AttemptRow[]> =>
  tables(db)
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('delivery_id', '=', id)
    .orderBy('number')
    .execute()

export type DeliveryPage = Lane & { status?: DeliveryRow['status'] | undefined; page: number; size: number }

/** The deliveries of a target, the newest first. */
export async function pageOfDeliveries(
  db: Database,
  { status, page, size, ...lane }: DeliveryPage,
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const found = tables(db)
    .selectFrom('deliveries')
    .where(inLane(lane))
    .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'waiting'))
  return readPage(found, { page, size }, (all) => all.selectAll().orderBy('queued_at', 'desc').orderBy('id', 'desc'))
}
