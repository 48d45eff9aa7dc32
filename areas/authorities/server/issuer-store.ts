// Authorities as they are read to issue with them: each with what is revoked above it, in the one statement.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { mostAuthorities, tables, type AuthorityRow } from './store.ts'

/** `revoked_above`: the name of a revoked authority whose certificate stands in this one's chain. On hold counts, too, for as long as it lasts. */
export type IssuingRow = AuthorityRow & { revoked_above: string | null }

/** To be chosen beside the columns of `authorities`. By the certificate, not by the authority: a renewed one above is good again for those whose chain it is in. */
export const revokedAbove = sql<string | null>`revoked_above(authorities.tenant_id, authorities.issuer_chain)`

const issuing = (db: Database, tenantId: string) => tables(db).selectFrom('authorities').selectAll('authorities').select(revokedAbove.as('revoked_above')).where('authorities.tenant_id', '=', tenantId)

export const findIssuing = (db: Database, tenantId: string, id: string): Promise<IssuingRow | undefined> => issuing(db, tenantId).where('authorities.id', '=', id).executeTakeFirst()

export const allIssuing = (db: Database, tenantId: string): Promise<IssuingRow[]> => issuing(db, tenantId).orderBy('friendly_name').limit(mostAuthorities).execute()
