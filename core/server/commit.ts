// One transaction of the house, and what its commit brings: whoever remembers what was before reads it anew, and what was put off until then is done.

import type { Job } from '#core/contract/contract.ts'
import type { AfterCommit } from './after-commit.ts'
import type { Database } from './database.ts'
import { writeEvents, type NewEvent } from './events.ts'
import type { House } from './house.ts'

/** Writes the rows of what was done. The transaction's tenant must be set to theirs. */
export type WriteRows = (tenantId: string, rows: readonly NewEvent[]) => Promise<void>

const wakes = new WeakMap<Database, Set<Job>>()

/**
 * Wakes a job when the transaction is committed, once however often it is said in it. In a transaction that `commitWork` did not begin it does nothing, and
 * the job runs at its next time.
 */
export function wakeAfterCommit(transaction: Database, job: Job): void {
  wakes.get(transaction)?.add(job)
}

/** `about` stands in the log beside a failure after the commit. */
export async function commitWork<T>(
  house: House,
  actions: readonly AfterCommit[],
  work: (db: Database, write: WriteRows) => Promise<T>,
  about?: object,
): Promise<T> {
  let written = false
  const woken = new Set<Job>()
  const result = await house.database.transaction().execute((db) => {
    wakes.set(db, woken)
    return work(db, async (tenantId, rows) => {
      await writeEvents(db, tenantId, rows)
      written ||= rows.length > 0
    })
  })
  if (written) house.cache.forget()
  for (const job of woken) house.wake(job)
  for (const action of actions) {
    try {
      await action()
    } catch (error) {
      house.log.error({ ...about, error }, 'work after the commit failed')
    }
  }
  return result
}
