// Counts the processor time that PostgreSQL spends for the databases of tests. Its processes belong to no test, so a house that closes adds what the
// connections to its own database used.

import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { ConnectionSettings } from '#core/server/database.ts'
import { processSeconds, treeSeconds } from '../../tools/setup/processor-time.mjs'

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

/** Notes for the whole run what a cluster used, from its first process on: nothing that the run waits for is their parent. */
export function noteClusterTime(cluster: string): void {
  const costs = process.env['CHANCERY_TEST_COSTS']
  if (costs === undefined || costs === '') return
  const [pid] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
  appendFileSync(costs, `${JSON.stringify({ cluster: treeSeconds(Number(pid)) })}\n`)
}
