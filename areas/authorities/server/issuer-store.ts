// Authorities as they are read to issue with them: each with what is revoked above it, in the one statement.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { mostAuthorities, tables, type AuthorityRow } from './store.ts'

/** `revoked_above`: the name of a revoked authority whose certificate stands in this one's chain. On hold counts, too, for as long as it lasts. */
export type IssuingRow = AuthorityRow & { revoked_above: string | null }

/** To be chosen beside the columns of `authorities`. By the certificate, not by the authority: a renewed one above is good again for those whose chain it is in. */
export const revokedAbove = sql<string | null>`(
  select coalesce(upper.friendly_name, held.subject_text)
  from unnest(authorities.issuer_chain) as above (der)
  join authority_certificates as held on held.tenant_id = authorities.tenant_id and held.certificate = above.der
  left join serials on serials.tenant_id = held.tenant_id and serials.ca_id = held.issuer_id and serials.serial = held.serial
  left join authorities as upper on upper.tenant_id = held.tenant_id and upper.id = held.ca_id
  where coalesce(serials.revoked_at, held.revoked_elsewhere_at) is not null
  order by held.made_at limit 1)`

const issuing = (db: Database, tenantId: string) => tables(db).selectFrom('authorities').selectAll('authorities').select(revokedAbove.as('revoked_above')).where('authorities.tenant_id', '=', tenantId)

export const findIssuing = (db: Database, tenantId: string, id: string): Promise<IssuingRow | undefined> => issuing(db, tenantId).where('authorities.id', '=', id).executeTakeFirst()

export const allIssuing = (db: Database, tenantId: string): Promise<IssuingRow[]> => issuing(db, tenantId).orderBy('friendly_name').limit(mostAuthorities).execute()
