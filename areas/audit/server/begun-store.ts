// Events that begin something, newest first, along the index of names; and what is told of the same things afterwards.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import type { EventRow } from '#core/server/events.ts'

export type Begun = { area: string; name: string; /** Only what this person began. */ by?: string }
type Span = { from?: Date | undefined; until?: Date | undefined }

const foundOf = (tenantId: string, begun: readonly Begun[], { from, until }: Span, most: number) => {
  const spans = [
    ...(from === undefined ? [] : [sql`and at >= ${from}::timestamptz`]),
    ...(until === undefined ? [] : [sql`and at <= ${until}::timestamptz`]),
  ]
  const one = ({
    area,
    name,
    by,
  }: Begun) => sql`(select * from events where tenant_id = ${tenantId} and area = ${area} and name = ${name} and outcome = 'done'
    ${by === undefined ? sql`` : sql`and actor_id = ${by}::uuid`} ${sql.join(spans, sql` `)} order by at desc, id desc limit ${most})`
  return sql.join(begun.map(one), sql` union all `)
}

/** Counted up to `countTo`. */
export async function findBegun(
  db: Database,
  tenantId: string,
  begun: readonly Begun[],
  { skip, take, countTo, ...span }: Span & { skip: number; take: number; countTo: number },
): Promise<{ rows: EventRow[]; total: number }> {
  if (begun.length === 0) return { rows: [], total: 0 }
  const { rows } = await sql<EventRow>`select * from (${foundOf(tenantId, begun, span, skip + take)}) as found
    order by at desc, id desc limit ${take} offset ${skip}`.execute(db)
  const counted = await sql<{
    total: number
  }>`select count(*)::int as total from (${foundOf(tenantId, begun, span, countTo)}) as found`.execute(db)
  return { rows, total: Math.min(countTo, counted.rows[0]?.total ?? 0) }
}

/** The oldest first. */
export const findAboutAll = async (db: Database, tenantId: string, abouts: readonly string[], most: number): Promise<EventRow[]> =>
  abouts.length === 0
    ? []
    : (
        await sql<EventRow>`select * from events where tenant_id = ${tenantId} and about = any(${[...abouts]}::text[]) and about <> ''
          order by at desc, id desc limit ${most}`.execute(db)
      ).rows.toReversed()
