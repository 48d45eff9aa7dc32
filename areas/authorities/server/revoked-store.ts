// The revoked, as lists of them are made: each with the bytes of its entry and the revision of its authority in which it came there.

import { sql, type RawBuilder } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { tables, type RevokedSerialRow } from './store.ts'

/** Where servers hear, with each commit that changes the status of a certificate or how it is told, whose it was: the id of the authority. */
export const statusChannel = 'chancery_status'

export const tellStatusChange = async (db: Database, caId: string): Promise<void> => {
  await sql`select pg_notify(${statusChannel}, ${caId})`.execute(db)
}

/** The next revision of the authority's statuses; nobody else raises it before this transaction has ended. */
export async function raiseRevision(db: Database, tenantId: string, caId: string): Promise<number> {
  const { revision } = await tables(db)
    .insertInto('serial_revisions')
    .values({ tenant_id: tenantId, ca_id: caId, revision: 1 })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'ca_id']).doUpdateSet({ revision: sql<number>`serial_revisions.revision + 1` }),
    )
    .returning('revision')
    .executeTakeFirstOrThrow()
  await tellStatusChange(db, caId)
  return revision
}

/** How often the status of a certificate of this authority has changed: whoever keeps answers compares it. */
export async function revisionOf(db: Database, tenantId: string, caId: string): Promise<number> {
  const row = await tables(db)
    .selectFrom('serial_revisions')
    .select('revision')
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .executeTakeFirst()
  return row?.revision ?? 0
}

export const upsertRevokedSerial = (db: Database, row: RevokedSerialRow): Promise<void> => upsertRevokedSerials(db, [row])

export async function upsertRevokedSerials(db: Database, rows: readonly RevokedSerialRow[]): Promise<void> {
  await tables(db)
    .insertInto('revoked_serials')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'ca_id', 'serial']).doUpdateSet(({ ref }) => ({
        revision: ref('excluded.revision'),
        released: ref('excluded.released'),
        entry: ref('excluded.entry'),
      })),
    )
    .execute()
}

export type RevokedRange = {
  tenantId: string
  caId: string
  /** What had expired by then is left out. */
  unexpiredAt: Date
  /** One part of the list; everything without. */
  shard?: number | undefined
  /** Only what has changed since this revision, holds that were released among it, as a delta list tells it. */
  since?: number | undefined
  /** As far as the transaction has seen; what was committed after is on the list, too. */
  revision: number
}

/** So many revisions, and so about as many entries, make one run: less than a megabyte. */
const revisionsOfARun = 16_384

/** Runs that were joined before, to be used again where they are still the same. */
export type KnownRuns = {
  /** A query of their `position`, `source` (where they lie, a bigint), `entries`, `stands` and `ends`, as revokedRuns gave them. */
  runs: RawBuilder<unknown>
  /** As far as they went. */
  revision: number
}

/**
 * The revoked as the entries of a CRL, in the order of revocation: a query of runs with their `position` from 1, `bytes`, number of `entries`, how many serials
 * there are in the run (`stands`) and when the first of those listed `ends`, for a statement that puts them elsewhere within the database. Joined where they
 * lie: a million rows on their way here and back would cost more than all else about a list. A known run that is the same has its `source` and no bytes.
 *
 * A full run changes in two ways alone. A serial whose status changes gets a new revision, and so leaves it; none comes to it. And what it lists expires.
 * Where no status has changed since, nobody has to be counted, and the last run is what it was, too.
 */
export function revokedRuns({ tenantId, caId, unexpiredAt, shard, since, revision }: RevokedRange, known?: KnownRuns): RawBuilder<unknown> {
  const from = since ?? 0
  const inRun = sql`tenant_id = ${tenantId} and ca_id = ${caId} and revision > run.start and revision <= run.start + ${revisionsOfARun}::bigint ${shard === undefined ? sql`` : sql`and crl_shard = ${shard}`}`
  const listed = sql`not_after > ${unexpiredAt} ${since === undefined ? sql`and not released` : sql``}`
  const nothingKnown = sql`select null::integer as position, null::bigint as source, null::integer as entries, null::integer as stands, null::timestamptz as ends where false`
  return sql`
    with known as materialized (${known?.runs ?? nothingKnown}),
    run as materialized (
      select run.position, run.start, known.source, known.entries, known.stands, known.ends,
        case when known.position is null or known.ends is null or known.ends <= ${unexpiredAt} then false
          when (select revision from serial_revisions where tenant_id = ${tenantId} and ca_id = ${caId}) = ${known?.revision ?? -1}::bigint then true
          when run.start + ${revisionsOfARun}::bigint > ${known?.revision ?? 0}::bigint then false
          else known.stands is not distinct from (select count(*)::integer from revoked_serials where ${inRun}) end as holds
      from (
        select ((start - ${from}::bigint) / ${revisionsOfARun}::bigint + 1)::integer as position, start
        from generate_series(${from}::bigint, ${Math.max(revision, from)}::bigint, ${revisionsOfARun}::bigint) as series (start)
      ) as run left join known on known.position = run.position
    )
    select run.position, run.source, ''::bytea as bytes, run.entries, run.stands, run.ends from run where run.holds
    union all
    select run.position, null, joined.bytes, joined.entries, joined.stands, joined.ends
    from run
    cross join lateral (
      select string_agg(entry, ''::bytea) filter (where ${listed}) as bytes, (count(*) filter (where ${listed}))::integer as entries, count(*)::integer as stands, min(not_after) filter (where ${listed}) as ends
      from revoked_serials where ${inRun}
    ) as joined
    where not run.holds and joined.entries > 0`
}

/** The newest change on each part since a revision, by the part. */
export async function changesSince(db: Database, tenantId: string, caId: string, revision: number): Promise<Map<number, number>> {
  const rows = await tables(db)
    .selectFrom('revoked_serials')
    .select(['crl_shard', (all) => all.fn.max('revision').as('newest')])
    .where('tenant_id', '=', tenantId)
    .where('ca_id', '=', caId)
    .where('revision', '>', revision)
    .groupBy('crl_shard')
    .execute()
  return new Map(rows.map(({ crl_shard: shard, newest }) => [shard, newest]))
}
