// Recurring work on pg-boss: one server at a time runs a job, a server that dies loses none.

import { PgBoss } from 'pg-boss'
import type { ConnectionSettings } from './database.ts'
import type { House } from './house.ts'
import { recordEnd, recordStart } from './job-runs.ts'
import type { Job } from './serve.ts'

export type Jobs = { wake(name: string): void; stop(): Promise<void> }

export async function startJobs(house: House, settings: ConnectionSettings): Promise<Jobs> {
  const boss = new PgBoss({ ...settings, schema: 'pgboss', max: 4, useListenNotify: true, application_name: 'chancery-jobs' })
  boss.on('error', (error) => house.log.warn({ error }, 'the job queue met an error'))
  await boss.start()
  const known = new Set(house.jobs.map((job) => job.name))
  for (const job of house.jobs) {
    // Where a server dies in the middle of a job, the job is given up within a minute, not after the longest that it may take.
    await boss.createQueue(job.name, {
      policy: 'stately',
      notify: true,
      retryLimit: 0,
      heartbeatSeconds: 60,
      expireInSeconds: 900,
      deleteAfterSeconds: 86_400,
    })
    await boss.schedule(job.name, job.every, null, { tz: 'UTC' })
    await boss.work(job.name, { pollingIntervalSeconds: 10 }, async () => {
      const failure = await runRecorded(house, job)
      if (failure === undefined) return
      house.log.error({ error: failure, job: job.name }, 'a job failed; it runs again at its next time')
      throw failure
    })
  }
  for (const { name } of await boss.getSchedules()) if (!known.has(name)) await boss.unschedule(name)
  return {
    wake(name) {
      boss
        .send(name, null)
        .catch((error: unknown) => house.log.warn({ error, job: name }, 'a job could not be woken; it runs at its next time'))
    },
    stop: () => boss.stop({ graceful: true, timeout: 5_000 }),
  }
}

/** Runs the job and records how it went. Returns what it threw. */
export async function runRecorded(house: House, job: Job): Promise<unknown> {
  await recordStart(house.database, job.name, house.now())
  const failure = await job.run(house).then(
    () => undefined,
    (error: unknown) => error ?? new Error('The job failed without a reason'),
  )
  await recordEnd(house.database, job.name, house.now(), failure)
  return failure
}
