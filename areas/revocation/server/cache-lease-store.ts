import { sql } from 'kysely'
import type pg from 'pg'
import type { Database } from '#core/server/database.ts'

/** Takes a shared lock for the life of the connection. False where another connection holds it exclusively, or waits to. */
export async function lockShared(client: pg.PoolClient, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock_shared(hashtextextended($1, 0)) as taken', [lock])
  return rows[0]?.taken === true
}

/** Releases the lock once; a lock that was taken twice needs two calls. */
export const unlock = async (client: pg.PoolClient, lock: string): Promise<void> =>
  void (await client.query('select pg_advisory_unlock_shared(hashtextextended($1, 0))', [lock]))

/** Waits until no other connection holds the lock, and releases it at once. Fails when the time has run out before. */
export const lockAlone = (database: Database, lock: string, milliseconds: number): Promise<void> =>
  database.transaction().execute(async (db) => {
    await sql`select set_config('lock_timeout', ${`${milliseconds}ms`}, true)`.execute(db)
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db)
  })
