// The certificate report: what was issued, what was revoked and what ended in a period, and what is valid now, by one attribute, in one reading.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'

const groups = {
  authority: { key: sql<string>`coalesce(ca_id::text, '')`, label: sql<string>`ca_name` },
  template: { key: sql<string>`coalesce(template_id::text, '')`, label: sql<string>`template_name` },
  requester: { key: sql<string>`coalesce(requester_id::text, '')`, label: sql<string>`requester` },
  class: { key: sql<string>`class`, label: sql<string>`class` },
} as const
export type ReportGroup = keyof typeof groups

export type ReportRow = { key: string; label: string; issued: number; revoked: number; ended: number; valid: number }

/** The groups with most issued first. An authority or template that was renamed counts under its latest name. */
export async function reportOn(
  db: Database,
  tenantId: string,
  { by, from, until }: { by: ReportGroup; from: Date; until: Date },
  now: Date,
  most: number,
): Promise<ReportRow[]> {
  const { key, label } = groups[by]
  // The groups first: by authority and by template an index alone tells them. Their names are those of the certificate that was issued last.
  const { rows } = await sql<ReportRow>`
    select key, issued, revoked, ended, valid,
      (select ${label} from certificates where tenant_id = ${tenantId} and issued_at = latest and ${key} = key limit 1) as label
    from (
      select ${key} as key, max(issued_at) as latest,
        count(*) filter (where issued_at >= ${from} and issued_at < ${until}) as issued,
        count(*) filter (where revoked_at >= ${from} and revoked_at < ${until}) as revoked,
        count(*) filter (where revoked_at is null and not_after >= ${from} and not_after < ${until}) as ended,
        count(*) filter (where revoked_at is null and not_before <= ${now} and not_after >= ${now}) as valid
      from certificates where tenant_id = ${tenantId} group by 1
    ) as grouped
    order by issued desc, valid desc limit ${most}`.execute(db)
  return rows
}
