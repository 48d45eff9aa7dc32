// Authorities as they are read to issue with them: each with what is revoked above it, in the one statement.

import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'
import { mostAuthorities, tables, type AuthorityRow } from './store.ts'

/** `revoked_above`: the name of a revoked authority whose certificate stands in this one's chain. `revoked`: its own is. On hold counts, too, for as long as it lasts. */
export type IssuingRow = AuthorityRow & { revoked_above: string | null; revoked: boolean }

/** To be chosen beside the columns of `authorities`. By the certificate, not by the authority: a renewed one above is good again for those whose chain it is in. */
export const whatIsRevoked = [
  sql<string | null>`revoked_above(authorities.tenant_id, authorities.issuer_chain)`.as('revoked_above'),
  sql<boolean>`revoked_above(authorities.tenant_id, array[authorities.certificate]) is not null`.as('revoked'),
] as const

const issuing = (db: Database, tenantId: string) =>
  tables(db).selectFrom('authorities').selectAll('authorities').select(whatIsRevoked).where('authorities.tenant_id', '=', tenantId)

export const findIssuing = (db: Database, tenantId: string, id: string): Promise<IssuingRow | undefined> =>
  issuing(db, tenantId).where('authorities.id', '=', id).executeTakeFirst()

export const allIssuing = (db: Database, tenantId: string): Promise<IssuingRow[]> =>
  issuing(db, tenantId).orderBy('friendly_name').limit(mostAuthorities).execute()
