import { sql } from 'kysely'
import type pg from 'pg'
import type { Database } from '#core/server/database.ts'

const last = new WeakMap<pg.PoolClient, Promise<unknown>>()

/** Asks one statement after another of a connection that several share: pg queues a second one only until its next major version. */
function inTurn<T>(client: pg.PoolClient, ask: () => Promise<T>): Promise<T> {
  const answer = (last.get(client) ?? Promise.resolve()).then(ask)
  last.set(
    client,
    answer.catch(() => undefined),
  )
  return answer
}

/** Takes a shared lock for the life of the connection. False where another connection holds it exclusively, or waits to. */
export async function lockShared(client: pg.PoolClient, lock: string): Promise<boolean> {
  const { rows } = await inTurn(client, () =>
    client.query<{ taken: boolean }>('select pg_try_advisory_lock_shared(hashtextextended($1, 0)) as taken', [lock]),
  )
  return rows[0]?.taken === true
}

/** Releases the lock once; a lock that was taken twice needs two calls. */
export const unlock = async (client: pg.PoolClient, lock: string): Promise<void> =>
  void (await inTurn(client, () => client.query('select pg_advisory_unlock_shared(hashtextextended($1, 0))', [lock])))

/** Waits until no other connection holds the lock, and releases it at once. Fails when the time has run out before. */
export const lockAlone = (database: Database, lock: string, milliseconds: number): Promise<void> =>
  database.transaction().execute(async (db) => {
    await sql`select set_config('lock_timeout', ${`${milliseconds}ms`}, true)`.execute(db)
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db)
  })
