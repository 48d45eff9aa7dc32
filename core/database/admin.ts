// Makes what Chancery needs inside a PostgreSQL server, where it is allowed to: its database and, if asked, the role
// without rights that requests run under. Where it is not allowed, the sentence says which statement to run by hand.
import pg from 'pg'
import { DatabaseError, systemCode } from './error.ts'

export type DatabaseSettings = {
  readonly connectionString?: string
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: string
  readonly database?: string
}

const leastMajor = 15
const missingDatabase = '3D000'
const notAllowed = '42501'
const alreadyThere = ['42P04', '42710', '23505']

/** Returns when the database is there, speaks UTF-8 and is of a version that Chancery knows. */
export async function ensureDatabase(settings: DatabaseSettings, options: { readonly role?: string } = {}): Promise<void> {
  const client = (await connect(settings)) ?? (await connectAfterMaking(settings))
  try {
    await refuseUnfit(client)
    if (options.role) await ensureRole(client, options.role)
  } finally {
    await client.end()
  }
}

/** A connected client, or undefined when only the database is missing. */
async function connect(settings: DatabaseSettings): Promise<pg.Client | undefined> {
  const client = new pg.Client(pgSettings(settings))
  // A connection that breaks fails the statement in flight; without a listener it would end the program instead.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    if (systemCode(error) === missingDatabase) return undefined
    throw new DatabaseError(
      'not-connected',
      `The database ${nameOf(settings)} does not accept a connection: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}

async function connectAfterMaking(settings: DatabaseSettings): Promise<pg.Client> {
  const name = databaseName(settings)
  const statement = `create database ${pg.escapeIdentifier(name)} template template0 encoding 'UTF8' locale 'C'`
  const maintenance = await connect(inDatabase(settings, 'postgres'))
  try {
    if (!maintenance)
      throw new DatabaseError(
        'not-connected',
        `The database ${name} is missing, and so is the database postgres from which it could be made.`,
      )
    await maintenance.query(statement)
  } catch (error) {
    if (systemCode(error) === notAllowed)
      throw new DatabaseError(
        'not-allowed',
        `The database ${name} is missing and this user may not make it. Have an administrator run: ${statement}`,
        { cause: error },
      )
    if (!alreadyThere.includes(systemCode(error) ?? '')) throw error
  } finally {
    await maintenance?.end()
  }
  const client = await connect(settings)
  if (!client) throw new DatabaseError('not-connected', `The database ${name} was made but is missing again.`)
  return client
}

async function refuseUnfit(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  )
  const found = rows[0]
  const foundMajor = Math.floor((found?.version ?? 0) / 10_000)
  if (foundMajor < leastMajor)
    throw new DatabaseError(
      'other-version',
      `DATABASE_URL leads to PostgreSQL ${foundMajor}; Chancery needs version ${leastMajor} or later.`,
    )
  if (found?.encoding !== 'UTF8')
    throw new DatabaseError('other-version', `The database has the encoding ${found?.encoding}; Chancery needs UTF8.`)
}

async function ensureRole(client: pg.Client, role: string): Promise<void> {
  const name = pg.escapeIdentifier(role)
  const statement = `create role ${name} nologin nosuperuser nobypassrls`
  try {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role])
    if (!rowCount) await client.query(statement)
    // From version 16 on, who makes a role may give it away but does not hold it.
    await client.query(`grant ${name} to current_user`)
  } catch (error) {
    if (systemCode(error) === notAllowed)
      throw new DatabaseError(
        'not-allowed',
        `The role ${role} is missing and this user may not make it. Have an administrator run: ${statement}; grant ${name} to the user of DATABASE_URL`,
        { cause: error },
      )
    if (!alreadyThere.includes(systemCode(error) ?? '')) throw error
  }
}

function pgSettings(settings: DatabaseSettings): pg.ClientConfig {
  return { connectionTimeoutMillis: 10_000, ...settings }
}

/** The same server, another database; a connection string beats single settings in `pg`, so its path is what changes. */
function inDatabase({ connectionString, ...rest }: DatabaseSettings, database: string): DatabaseSettings {
  if (connectionString === undefined) return { ...rest, database }
  const url = new URL(connectionString)
  url.pathname = `/${database}`
  return { ...rest, connectionString: url.href }
}

function databaseName({ connectionString, database }: DatabaseSettings): string {
  return new pg.Client(connectionString === undefined ? { database } : { connectionString }).database ?? 'chancery'
}

/** For messages: never the password. */
function nameOf(settings: DatabaseSettings): string {
  const { host, database, user } = new pg.Client(pgSettings(settings))
  return `${database} at ${host} (user ${user})`
}
