// Counts the processor time that PostgreSQL spends for the databases of tests. Its processes belong to no test, so a house that closes adds what the
// connections to its own database used.

import pg from 'pg'
import type { ConnectionSettings } from '#core/server/database.ts'
import { processSeconds } from '../../tools/setup/processor-time.mjs'

let total = 0

/** Adds up what was counted in this worker so far, in seconds. */
export const databaseSeconds = (): number => total

/** Counts the connections to a database that are open now. Those of another machine count as nothing. */
export async function countDatabaseTime(cluster: ConnectionSettings, database: string): Promise<void> {
  const client = new pg.Client(cluster)
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity where datname = $1', [database])
    for (const { pid } of rows) total += processSeconds(pid)
  } finally {
    await client.end()
  }
}
