// How each recurring job went the last time, whichever server ran it: what the console shows of the jobs. A job that a dying server left behind
// stays "running" until its next run; the time when it began tells.

import type { Database } from './database.ts'

export type JobRun = { name: string; startedAt: Date; endedAt: Date | undefined; outcome: 'running' | 'done' | 'failed'; error: string }

type JobTables = { job_runs: { name: string; started_at: Date; ended_at: Date | null; outcome: JobRun['outcome']; error: string } }

const tables = (database: Database) => database.withTables<JobTables>()

const longestError = 500

export async function recordStart(database: Database, name: string, now: Date): Promise<void> {
  const begun = { started_at: now, ended_at: null, outcome: 'running' as const, error: '' }
  await tables(database)
    .insertInto('job_runs')
    .values({ name, ...begun })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(begun))
    .execute()
}

export async function recordEnd(database: Database, name: string, now: Date, failure: unknown): Promise<void> {
  const error = failure === undefined ? '' : (failure instanceof Error ? failure.message : String(failure)).slice(0, longestError)
  await tables(database)
    .updateTable('job_runs')
    .set({ ended_at: now, outcome: failure === undefined ? 'done' : 'failed', error })
    .where('name', '=', name)
    .execute()
}

export async function readRuns(database: Database): Promise<JobRun[]> {
  const rows = await tables(database).selectFrom('job_runs').selectAll().execute()
  return rows.map(({ name, started_at, ended_at, outcome, error }) => ({
    name,
    startedAt: started_at,
    endedAt: ended_at ?? undefined,
    outcome,
    error,
  }))
}
