// Runs a transaction of one tenant in few round trips, for what is written thousands of times a second. Statements have names, so that the database plans each
// once; those that do not need each other's answers are sent together: begin and tenant with the first, commit with the last.

import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { connectionOptions, type ConnectionSettings, type Database } from './database.ts'

/** A prepared statement with its values. A function that returns one is named in the past participle: `requestsInserted`. */
export type Statement = {
  name: string
  text: string
  values: readonly unknown[]
  /** What its failure means; the database's own error unless told. */
  failure?: (cause: unknown) => Error
}
export type Rows = readonly Record<string, unknown>[]

/** Sends these together and gives the rows of each. */
type Send = (...statements: readonly Statement[]) => Promise<Rows[]>

export type Batches = {
  /** `work` returns what it found out, and the statements that go with the commit. */
  transact<T>(tenantId: string, work: (send: Send) => Promise<{ value: T; last: readonly Statement[] }>): Promise<T>
  /** The rows of one statement that only reads; all in one breath. */
  read(tenantId: string, statement: Statement): Promise<Rows>
  close(): Promise<void>
}

const begin: Statement = { name: 'begin', text: 'begin', values: [] }
const commit: Statement = { name: 'commit', text: 'commit', values: [] }
const enter = (tenantId: string): Statement => ({
  name: 'enter-tenant',
  text: `select set_config('chancery.tenant', $1, true)`,
  values: [tenantId],
})

/**
 * Every statement here finds its rows by a key. A plan made while the tables are empty, when any way is as good as another, must not be one that reads
 * them whole when they are full.
 */
const keyedPlans = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off'

export function openBatches(settings: ConnectionSettings, most: number): Batches {
  const options = connectionOptions(settings, 'chancery_app')
  const pool = new pg.Pool({ ...options, options: `${options.options} ${keyedPlans}`, max: most, pipeline: true })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  const batches: Batches = {
    async read(tenantId, statement) {
      const client = await pool.connect()
      let broken = true
      try {
        const [, , { rows } = { rows: [] }] = await sendAll(client, [begin, enter(tenantId), statement, commit])
        broken = false
        return rows
      } finally {
        client.release(broken)
      }
    },
    async transact(tenantId, work) {
      const client = await pool.connect()
      let broken = true
      try {
        let opening: readonly Statement[] = [begin, enter(tenantId)]
        const send: Send = async (...statements) => {
          const before = opening
          opening = []
          const results = await sendAll(client, [...before, ...statements])
          return results.slice(before.length).map(({ rows }) => rows)
        }
        const { value, last } = await work(send)
        const results = await sendAll(client, [...opening, ...last, commit])
        // A transaction in which something failed answers a commit by rolling back.
        if (results.at(-1)?.command !== 'COMMIT') throw new Error('The transaction was rolled back')
        broken = false
        return value
      } catch (error) {
        broken = await client.query('rollback').then(
          () => false,
          () => true,
        )
        throw error
      } finally {
        client.release(broken)
      }
    },
    close: () => pool.end(),
  }
  return batches
}

/** Every answer is waited for, so that none is left over for the next user of the connection; the first failure is the one that counts. */
async function sendAll(client: pg.PoolClient, statements: readonly Statement[]): Promise<pg.QueryResult[]> {
  const { stream } = client.connection
  // One packet for all of them: a system call for each would cost more than the rows.
  stream.cork()
  const sent = statements.map(({ name, text, values }) => client.query({ name, text, values: [...values] }))
  stream.uncork()
  const settled = await Promise.allSettled(sent)
  return settled.map((outcome, at) => {
    if (outcome.status === 'rejected') throw statements[at]?.failure?.(outcome.reason) ?? outcome.reason
    return outcome.value
  })
}

/** Bytes as the database reads them in a text. */
export const hexBytes = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`

/** The same statement in a transaction that is open already. */
export const runStatement = async (database: Database, { text, values }: Statement): Promise<Rows> =>
  (await database.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]))).rows

/** True where the database refused a value or a row: a fault of what was sent, not of the connection. Nothing was written. 54000: it is too long for an index. */
export const isRefusedByDatabase = (error: unknown): boolean => error instanceof pg.DatabaseError && /^2[23]|^54000$/.test(error.code ?? '')
