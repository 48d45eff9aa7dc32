// The certificate report: what was issued, what was revoked and what ended in a period, and what is valid now, by one attribute, in one reading.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { tables } from './store.ts'

const groups = {
  authority: { key: sql<string>`coalesce(ca_id::text, '')`, label: sql<string>`ca_name` },
  template: { key: sql<string>`coalesce(template_id::text, '')`, label: sql<string>`template_name` },
  requester: { key: sql<string>`coalesce(requester_id::text, '')`, label: sql<string>`requester` },
  class: { key: sql<string>`class`, label: sql<string>`class` },
} as const
export type ReportGroup = keyof typeof groups

export type ReportRow = { key: string; label: string; issued: number; revoked: number; ended: number; valid: number }

/** The groups with most issued first. An authority or template that was renamed counts under its latest name. */
export async function reportOn(db: Database, tenantId: string, { by, from, until }: { by: ReportGroup; from: Date; until: Date }, now: Date, most: number): Promise<ReportRow[]> {
  const { key, label } = groups[by]
  const rows = await tables(db)
    .selectFrom('certificates')
    .where('tenant_id', '=', tenantId)
    .select([
      key.as('key'),
      sql<string>`(array_agg(${label} order by issued_at desc))[1]`.as('label'),
      sql<number>`count(*) filter (where issued_at >= ${from} and issued_at < ${until})`.as('issued'),
      sql<number>`count(*) filter (where revoked_at >= ${from} and revoked_at < ${until})`.as('revoked'),
      sql<number>`count(*) filter (where revoked_at is null and not_after >= ${from} and not_after < ${until})`.as('ended'),
      sql<number>`count(*) filter (where revoked_at is null and not_before <= ${now} and not_after >= ${now})`.as('valid'),
    ])
    .groupBy(key)
    .orderBy('issued', 'desc')
    .orderBy('valid', 'desc')
    .limit(most)
    .execute()
  return rows.map((row) => ({ ...row, issued: Number(row.issued), revoked: Number(row.revoked), ended: Number(row.ended), valid: Number(row.valid) }))
}
