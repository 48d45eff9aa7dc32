import { sql } from 'kysely'
import type pg from 'pg'
import type { Database } from '#core/server/database.ts'

/** For as long as the connection lasts, beside others who hold it so. False where somebody holds it alone, or waits to. */
export async function holdShared(client: pg.PoolClient, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock_shared(hashtextextended($1, 0)) as taken', [lock])
  return rows[0]?.taken === true
}

/** Once for each time that it was taken. */
export const letGo = async (client: pg.PoolClient, lock: string): Promise<void> =>
  void (await client.query('select pg_advisory_unlock_shared(hashtextextended($1, 0))', [lock]))

/** Returns when nobody else holds the lock, and holds it no longer than that. Fails where somebody has not let go within the time. */
export const holdAlone = (database: Database, lock: string, milliseconds: number): Promise<void> =>
  database.transaction().execute(async (db) => {
    await sql`select set_config('lock_timeout', ${`${milliseconds}ms`}, true)`.execute(db)
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db)
  })
