import { sql } from 'kysely'
import type { Database } from '#core/server/database.ts'

/** Returns when nobody else holds the lock, and holds it no longer than that. Fails where somebody has not let go within the time. */
export const holdAlone = (database: Database, lock: string, milliseconds: number): Promise<void> =>
  database.transaction().execute(async (db) => {
    await sql`select set_config('lock_timeout', ${`${milliseconds}ms`}, true)`.execute(db)
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db)
  })
