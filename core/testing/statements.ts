// Keeps one of each statement that the houses of a test run send, for another engine to look at: `npm test` names the folder for them.

import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { ConnectionSettings } from '#core/server/database.ts'

export type SentStatement = { role: string; text: string }

const folder = process.env['CHANCERY_TEST_STATEMENTS']
const watched = new Set<string>()
const seen = new Set<string>()

/** Keeps what is sent to that database from now on, by the product's own roles. */
export function keepStatements(database: string): void {
  if (folder === undefined) return
  watched.add(database)
  if (watched.size > 1) return
  const { query } = pg.Client.prototype
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]): unknown {
      const succeeded = () => keep(this, args[0], folder)
      const called = args.at(-1)
      if (typeof called === 'function') {
        const answer = (error: unknown, ...results: unknown[]): unknown => {
          if (error === null || error === undefined) succeeded()
          return called(error, ...results)
        }
        return Reflect.apply(query, this, [...args.slice(0, -1), answer])
      }
      const result: unknown = Reflect.apply(query, this, args)
      // What the first engine refuses is refused by intent. A reader of COPY tells nobody here how it ends.
      if (result instanceof Promise) void result.then(succeeded, () => {})
      else succeeded()
      return result
    },
  })
}

function keep(client: pg.Client, asked: unknown, where: string): void {
  const text: unknown = typeof asked === 'string' ? asked : Object(asked).text
  const { options, application_name: application }: { options?: string; application_name?: string } =
    Object(client).connectionParameters ?? {}
  const [, role] = /role=(\w+)/.exec(options ?? '') ?? []
  // A connection of the test's own has no such name.
  if (typeof text !== 'string' || role === undefined || application !== 'chancery' || !watched.has(client.database ?? '')) return
  // COPY takes no parameters: those that differ in their values alone are one statement.
  const form = `${role} ${text.replaceAll(/'[^']*'/g, "''")}`
  if (seen.has(form)) return
  seen.add(form)
  const statement: SentStatement = { role, text }
  appendFileSync(join(where, `${process.pid}.jsonl`), `${JSON.stringify(statement)}\n`)
}

/** A statement on its way, with its values. */
export type HeardStatement = { text: string; values: readonly unknown[] }

/** Hears what is sent to that database from now on, by whomever in this process; ends with what it answers. */
export function hearStatements(connection: ConnectionSettings, hear: (statement: HeardStatement) => void): () => void {
  const { query } = pg.Client.prototype
  const { database } = new pg.Client(connection)
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]): unknown {
      const [asked, given] = args
      const { text, values }: { text?: unknown; values?: unknown } = typeof asked === 'string' ? { text: asked } : Object(asked)
      const bound = Array.isArray(values) ? values : given
      if (this.database === database && typeof text === 'string') hear({ text, values: Array.isArray(bound) ? bound : [] })
      return Reflect.apply(query, this, args)
    },
  })
  return () => void Object.assign(pg.Client.prototype, { query })
}

/** What all workers of the run kept, each once. */
export function recordedStatements(): SentStatement[] {
  if (folder === undefined) throw new Error('The statements of a run are looked at by a whole `npm test`')
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
  return [...new Set(lines)].filter((line) => line !== '').map((line) => JSON.parse(line) as SentStatement)
}
