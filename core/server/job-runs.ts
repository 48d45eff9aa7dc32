// How each recurring job went the last time, whichever server ran it: what the console shows of the jobs. A job that a dying server left behind
// stays "running" until its next run, which the next server that starts asks for; the time when it began tells. One in which servers die again and again is "lost".

import type { Database } from './database.ts'
import { reasonOf } from './each.ts'

export type JobRun = {
  name: string
  startedAt: Date
  endedAt: Date | undefined
  outcome: 'running' | 'done' | 'failed' | 'lost'
  error: string
  /** In how many tenancies it ran, and failed; undefined while it runs, and of a job for the installation as a whole. */
  tenancies: number | undefined
  failed: number | undefined
}

type JobTables = {
  job_runs: {
    name: string
    started_at: Date
    ended_at: Date | null
    outcome: JobRun['outcome']
    error: string
    tenancies: number | null
    failed: number | null
    start_after: string | null
    lost: number
  }
}

const tables = (database: Database) => database.withTables<JobTables>()

const longestError = 2_000

/** Returns the tenancy behind which this run begins. */
export async function recordStart(database: Database, name: string, now: Date): Promise<string | undefined> {
  const begun = { started_at: now, ended_at: null, outcome: 'running' as const, error: '', tenancies: null, failed: null }
  const { start_after: startAfter } = await tables(database)
    .insertInto('job_runs')
    .values({ name, ...begun, start_after: null, lost: 0 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(begun))
    .returning('start_after')
    .executeTakeFirstOrThrow()
  return startAfter ?? undefined
}

/** Sets the tenancy behind which the next run begins. */
export async function noteStart(database: Database, name: string, startAfter: string): Promise<void> {
  await tables(database).updateTable('job_runs').set({ start_after: startAfter }).where('name', '=', name).execute()
}

export async function recordEnd(
  database: Database,
  name: string,
  { now, failure, tenancies, failed }: { now: Date; failure?: unknown; tenancies?: number; failed?: number },
): Promise<void> {
  await tables(database)
    .updateTable('job_runs')
    .set({
      ended_at: now,
      outcome: failure === undefined ? 'done' : 'failed',
      error: failure === undefined ? '' : reasonOf(failure).slice(0, longestError),
      tenancies: tenancies ?? null,
      failed: failed ?? null,
      lost: 0,
    })
    .where('name', '=', name)
    .execute()
}

const mostLost = 5

/** Counts the runs that servers left behind. Answers those to begin again, with how often in a row that happened; the others are given up until their next time. */
export async function countLost(database: Database, now: Date): Promise<{ name: string; lost: number; isGivenUp: boolean }[]> {
  const rows = await tables(database)
    .updateTable('job_runs')
    .set((all) => ({ lost: all('lost', '+', 1) }))
    .where('outcome', '=', 'running')
    .returning(['name', 'lost'])
    .execute()
  const found = rows.map((row) => ({ ...row, isGivenUp: row.lost > mostLost }))
  for (const { name, lost, isGivenUp } of found)
    if (isGivenUp)
      await tables(database)
        .updateTable('job_runs')
        .set({ outcome: 'lost', ended_at: now, error: `The server ended ${lost} times in the middle of it: it waits for its next time` })
        .where('name', '=', name)
        .where('outcome', '=', 'running')
        .execute()
  return found
}

export async function readRuns(database: Database): Promise<JobRun[]> {
  const rows = await tables(database).selectFrom('job_runs').selectAll().execute()
  return rows.map(({ name, started_at, ended_at, outcome, error, tenancies, failed }) => ({
    name,
    startedAt: started_at,
    endedAt: ended_at ?? undefined,
    outcome,
    error,
    tenancies: tenancies ?? undefined,
    failed: failed ?? undefined,
  }))
}
