// Runs calls concurrently: a lock stops each in the middle of its transaction, until all of them wait, and then releases them.

import pg from 'pg'
import { expect } from 'vitest'
import type { ConnectionSettings } from '#core/server/database.ts'

/** Starts each call as soon as the one before waits for a lock. `lock` is the statement that takes the first lock. Answers how each call ended. */
export async function heldUp<T>(
  { connection }: { connection: ConnectionSettings },
  lock: string,
  asked: readonly (() => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const [locker, looker] = [new pg.Client(connection), new pg.Client(connection)]
  await Promise.all([locker.connect(), looker.connect()])
  // Leaves out the numbering of events, which runs in the background.
  const waiting = async () =>
    (
      await looker.query<{ count: number }>(`select count(distinct pid)::int as count from pg_locks where not granted
      and pid in (select pid from pg_stat_activity where datname = current_database() and query not like '%set sequence = numbered.sequence%')`)
    ).rows[0]?.count
  try {
    await locker.query('begin')
    await locker.query(lock)
    const under: Promise<T>[] = []
    for (const ask of asked) {
      const answer = ask()
      // Handles a rejection before it is awaited below.
      answer.catch(() => {})
      under.push(answer)
      await expect.poll(waiting, { interval: 10 }).toBe(under.length)
    }
    await locker.query('commit')
    return await Promise.allSettled(under)
  } finally {
    await Promise.all([locker.end(), looker.end()])
  }
}
