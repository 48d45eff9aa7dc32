// Connections and transactions. The process works as the role chancery_app, which owns no table; row-level security lets each
// transaction see the one tenant that was set at its start, and nothing where none was set.

import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { CopyReader } from './copy-reader.ts'

/** A connection that knows no table by itself: a room's store adds its own with `withTables`. */
export type Database = Kysely<Record<never, never>>

export type ConnectionSettings = { connectionString: string } | { host: string; user: string; database: string; port?: number }

export type DatabaseRole = 'chancery_app' | 'chancery_auditor'

export type Connections = {
  pool: pg.Pool
  database: Database
  close(): Promise<void>
}

// bigint columns are counters here and stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
// A day is a day: as a moment it would be another one elsewhere.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

/** What every pool has in common. */
export const connectionOptions = (settings: ConnectionSettings, role: DatabaseRole | undefined): pg.PoolConfig => ({
  ...settings,
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 30_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
  application_name: 'chancery',
  ...(role === undefined ? {} : { options: `-c role=${role}` }),
})

export function connect(settings: ConnectionSettings, role: DatabaseRole | undefined, most = 20): Connections {
  const pool = new pg.Pool({ ...connectionOptions(settings, role), max: most })
  // An idle connection that the server closes is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => {})
  // The same for one that is in use: the pool takes its own listener away then, and the next query fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}))
  const database: Database = new Kysely({ dialect: new PostgresDialect({ pool, cursor: CopyReader }) })
  return { pool, database, close: () => database.destroy() }
}

/** Sets the tenant for the rest of the transaction. */
export const enterTenant = async (database: Database, tenantId: string): Promise<void> => {
  await sql`select set_config('chancery.tenant', ${tenantId}, true)`.execute(database)
}

/** Runs `work` in one transaction of one tenant. */
export const inTenant = <T>(database: Database, tenantId: string, work: (database: Database) => Promise<T>): Promise<T> =>
  database.transaction().execute(async (transaction) => {
    await enterTenant(transaction, tenantId)
    return work(transaction)
  })

/**
 * Does `work` in another tenancy, in the same transaction and so in the same commit, and comes back. Row security holds throughout: each
 * statement sees one tenancy. Nothing else may be under way in the transaction meanwhile.
 */
export async function visitTenant<T>(transaction: Database, { home, tenantId }: { home: string; tenantId: string }, work: () => Promise<T>): Promise<T> {
  await enterTenant(transaction, tenantId)
  const outcome = await work().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  // After a failed statement this one fails, too, and the transaction is undone; the first error is the one to tell.
  await enterTenant(transaction, home).catch((error: unknown) => {
    if ('value' in outcome) throw error
  })
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

/** The name of the unique or foreign-key constraint that a failed statement met. */
export function brokenConstraint(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError)) return undefined
  return error.code === '23505' || error.code === '23503' || error.code === '23514' ? error.constraint : undefined
}

export const databaseVersion = async (database: Database): Promise<string> => (await sql<{ server_version: string }>`show server_version`.execute(database)).rows[0]?.server_version ?? ''
