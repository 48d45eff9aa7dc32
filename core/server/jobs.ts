// Recurring work on pg-boss: one server at a time runs a job, a server that dies loses none.

import { PgBoss } from 'pg-boss'
import type { ConnectionSettings } from './database.ts'
import type { House } from './house.ts'
import type { Job } from './serve.ts'

export type Jobs = { wake(name: string): void; stop(): Promise<void> }

export async function startJobs(house: House, settings: ConnectionSettings, jobs: readonly Job[]): Promise<Jobs> {
  const boss = new PgBoss({ ...settings, schema: 'pgboss', max: 4, useListenNotify: true, application_name: 'chancery-jobs' })
  boss.on('error', (error) => house.log.warn({ error }, 'the job queue met an error'))
  await boss.start()
  const known = new Set(jobs.map((job) => job.name))
  for (const job of jobs) {
    // Where a server dies in the middle of a job, the job is given up within a minute, not after the longest that it may take.
    await boss.createQueue(job.name, { policy: 'stately', notify: true, retryLimit: 0, heartbeatSeconds: 60, expireInSeconds: 900, deleteAfterSeconds: 86_400 })
    await boss.schedule(job.name, job.every, null, { tz: 'UTC' })
    await boss.work(job.name, { pollingIntervalSeconds: 10 }, async () => {
      try {
        await job.run(house)
      } catch (error) {
        house.log.error({ error, job: job.name }, 'a job failed; it runs again at its next time')
        throw error
      }
    })
  }
  for (const { name } of await boss.getSchedules()) if (!known.has(name)) await boss.unschedule(name)
  return {
    wake(name) {
      boss.send(name, null).catch((error: unknown) => house.log.warn({ error, job: name }, 'a job could not be woken; it runs at its next time'))
    },
    stop: () => boss.stop({ graceful: true, timeout: 5_000 }),
  }
}
