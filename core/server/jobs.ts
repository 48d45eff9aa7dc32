// Recurring work on pg-boss: one server at a time runs a job, a server that dies loses none. A run counts as failed where it failed in one
// tenancy; the others had their turns all the same, and all have another at its next time.

import { PgBoss } from 'pg-boss'
import { jobName, type Job } from '#core/contract/contract.ts'
import { jobQueueSettings, type ConnectionSettings } from './database.ts'
import type { House } from './house.ts'
import { countLost, noteStart, recordEnd, recordStart } from './job-runs.ts'
import { failureOf, takeTurns, type TurnLimits } from './job-turns.ts'
import type { JobBinding } from './serve.ts'

/** At once after the first time, and then twice as late each time: what kills a server does not do so at each of its starts. */
const pauseSeconds = (lost: number): number => (lost === 1 ? 0 : 30 * 2 ** (lost - 2))

/** In seconds. What a killed server has left in a job is taken up within a minute: its last sign of life, two looks for those that give none, a poll. */
export const soon = { beat: 20, look: 10, delay: 1, poll: 10 } as const
/** A job is tried again where its server died, not where it failed: that is told, and it has its next time. */
const queueOptions = {
  retryLimit: 2,
  retryDelay: soon.delay,
  retryBackoff: true,
  heartbeatSeconds: soon.beat,
  expireInSeconds: 900,
  deleteAfterSeconds: 86_400,
}

export type Jobs = { wake(name: string): void; stop(): Promise<void> }

export async function startJobs(house: House, settings: ConnectionSettings): Promise<Jobs> {
  const boss = new PgBoss({
    ...(await jobQueueSettings(settings)),
    schema: 'pgboss',
    // The migrations make it, for whose role may not.
    createSchema: false,
    max: 4,
    useListenNotify: true,
    superviseIntervalSeconds: soon.look,
    monitorIntervalSeconds: soon.look,
    application_name: 'chancery-jobs',
  })
  boss.on('error', (error) => house.log.warn({ error }, 'the job queue met an error'))
  await boss.start()
  const queues = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  const known = new Set(house.jobs.map(({ job }) => jobName(job)))
  for (const binding of house.jobs) {
    const name = jobName(binding.job)
    const queue = queues.get(name)
    if (queue === undefined) await boss.createQueue(name, { policy: 'stately', notify: true, ...queueOptions })
    else if (queue.heartbeatSeconds !== soon.beat || queue.retryLimit !== queueOptions.retryLimit)
      await boss.updateQueue(name, queueOptions)
    await boss.schedule(name, binding.job.every, null, { tz: 'UTC' })
    await boss.work(name, { pollingIntervalSeconds: soon.poll }, async () => {
      const failure = await runRecorded(house, binding)
      if (failure === undefined) return
      house.log.error({ error: failure, job: name }, 'a job failed; it runs again at its next time')
    })
  }
  // What a dying server left behind goes on as soon as the queue has given it up, not at its next time. Where another server runs it now, it runs once more.
  for (const { name, lost, isGivenUp } of await countLost(house.database, house.now())) {
    if (isGivenUp) house.log.error({ job: name, lost }, 'servers died in a job again and again; it is given up until its next time')
    else if (known.has(name)) await boss.send(name, null, { startAfter: pauseSeconds(lost) })
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

export function findJob(house: House, name: string): Job | undefined {
  return house.jobs.find(({ job }) => jobName(job) === name)?.job
}

/** Runs the job here and now, beside its plan. Throws what it failed of. */
export async function runNow(house: House, job: Job): Promise<void> {
  const binding = house.jobs.find((one) => one.job === job)
  if (binding === undefined) throw new Error(`There is no job ${jobName(job)}`)
  // Whoever asks for it waits for all of it.
  const failure = await runRecorded(house, binding, { patience: Number.MAX_SAFE_INTEGER })
  if (failure !== undefined) throw failure
}

/** Runs the job and records how it went. Returns what it threw. */
export async function runRecorded(house: House, binding: JobBinding, limits: TurnLimits = {}): Promise<unknown> {
  const name = jobName(binding.job)
  const startAfter = await recordStart(house.database, name, house.now())
  try {
    const counts = await run(house, binding, startAfter, limits)
    await recordEnd(house.database, name, { now: house.now(), ...counts })
    return counts.failure
  } catch (error) {
    const failure = error ?? new Error('The job failed without a reason')
    await recordEnd(house.database, name, { now: house.now(), failure })
    return failure
  }
}

type Counts = { failure?: unknown; tenancies?: number; failed?: number }

async function run(house: House, binding: JobBinding, startAfter: string | undefined, limits: TurnLimits): Promise<Counts> {
  if ('inHouse' in binding) {
    await binding.inHouse(house)
    return {}
  }
  const takeTurn = 'inTenancy' in binding ? binding.inTenancy : binding.perRun(house)
  const name = jobName(binding.job)
  const began = (first: string) => noteStart(house.database, name, first)
  const taken = await takeTurns(house, binding, takeTurn, { startAfter, began }, limits)
  if (taken.startAfter !== undefined) await noteStart(house.database, name, taken.startAfter)
  if (taken.timeIsUp) house.wake(binding.job)
  return { failure: failureOf(taken), tenancies: taken.tenancies, failed: taken.failures.length }
}
