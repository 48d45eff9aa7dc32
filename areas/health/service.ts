// What rooms above may ask: whether an authority needs attention.

import type { Database } from '#core/server/database.ts'
import { countAuthoritiesInTrouble } from './server/store.ts'

/** How many authorities have something that is not in order. */
export const authoritiesInTrouble = (db: Database, tenantId: string): Promise<number> => countAuthoritiesInTrouble(db, tenantId)
