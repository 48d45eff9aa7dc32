// Connections and transactions. The process works as the role chancery_app, which owns no table, and connects as it; row-level security lets each
// transaction see the one tenant that was set at its start, and nothing where none was set.

import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { CopyReader } from './copy-reader.ts'

/** A connection that knows no table by itself: a room's store adds its own with `withTables`. */
export type Database = Kysely<Record<never, never>>

type Address = { connectionString: string } | { host: string; user: string; database: string; port?: number }
export type ConnectionSettings = Address & {
  /** The roles below are let in under their own names. Else their connections are the owner's, which could lay the role down again. */
  rolesSignIn?: boolean
}

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

const ownerSettings = ({ rolesSignIn: _, ...settings }: ConnectionSettings): Address => settings

/** The same server, under the name of a role; with the password of the address, where it has one. */
function settingsOf(settings: ConnectionSettings, role: DatabaseRole | 'chancery_jobs'): Address {
  if (!('connectionString' in settings)) return { ...ownerSettings(settings), user: role }
  const address = new URL(settings.connectionString)
  address.username = role
  if (address.searchParams.has('user')) address.searchParams.set('user', role)
  return { connectionString: address.href }
}

/** Finds out whether the roles are let in under their own names. */
export async function withRoles(settings: ConnectionSettings): Promise<ConnectionSettings> {
  for (const role of ['chancery_app', 'chancery_auditor'] as const) if (!(await letsIn(settingsOf(settings, role)))) return settings
  return { ...settings, rolesSignIn: true }
}

/** The connection of the job queue: under its own name, or else laid down to its role, or else the owner's, where there is no such role. */
export async function jobQueueSettings(settings: ConnectionSettings): Promise<Address & { options?: string }> {
  const own = settingsOf(settings, 'chancery_jobs')
  if (await letsIn(own)) return own
  const asRole = { ...ownerSettings(settings), options: '-c role=chancery_jobs' }
  return (await letsIn(asRole)) ? asRole : ownerSettings(settings)
}

async function letsIn(settings: pg.PoolConfig): Promise<boolean> {
  const client = new pg.Client({ ...settings, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && notLetIn.includes(error.code ?? '')) return false
    throw error
  } finally {
    await client.end().catch(() => {})
  }
}

/** Wrong or no password, no line for it in pg_hba.conf, a role without login, no right to connect or to the role, no such role, reserved connections. */
const notLetIn = ['28P01', '28000', '42501', '22023', '53300', '08P01']

/** What every pool has in common. */
export const connectionOptions = (settings: ConnectionSettings, role: DatabaseRole | undefined): pg.PoolConfig => ({
  ...(role === undefined ? ownerSettings(settings) : settings.rolesSignIn === true ? settingsOf(settings, role) : ownerSettings(settings)),
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
export async function visitTenant<T>(
  transaction: Database,
  { home, tenantId }: { home: string; tenantId: string },
  work: () => Promise<T>,
): Promise<T> {
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

export const databaseVersion = async (database: Database): Promise<string> =>
  (await sql<{ server_version: string }>`show server_version`.execute(database)).rows[0]?.server_version ?? ''
