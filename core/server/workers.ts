// Several processes that answer at one port as one server. The first process has the database, the jobs, the bus and the numbering of the log; its workers
// share the listening socket (node:cluster) and answer. They know of one another only what servers on several machines would: what stands in the
// database and what is told there. Beside that a worker asks the first to wake a job, and what the others have counted.

import cluster, { type Worker } from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import { findJob } from './jobs.ts'
import type { Counts } from './metrics.ts'
import type { Others, RunningHouse, RunOptions } from './open.ts'

/** What a worker opens the house with. */
type Opening = Pick<RunOptions, 'settings' | 'connection'>

/** What the first process says. */
type Word = { opens: Opening } | { databaseFault: string | undefined } | { asksCounts: number } | { answers: number; counts: Counts[] }
/** What a worker says. */
type Answer = { wakes: string } | { asksCounts: number } | { answers: number; counts: Counts }

export type Workers = { stop(): Promise<void> }

/** One that keeps dying is not started again faster than this. */
const breath = 1_000
/** Whoever has not told its counts by then is left out. */
const patience = 1_000

/** So often the first process looks whether its database has another fault to tell the workers of. */
const lookMilliseconds = 500

/** Starts them and returns when all of them listen. Throws where one cannot start. */
export async function startWorkers(
  program: string,
  { settings, connection, databaseFault = () => undefined }: Opening & Pick<RunOptions, 'databaseFault'>,
  { house, metrics }: RunningHouse,
): Promise<Workers> {
  const leaving = new AbortController()
  const asked = new Map<number, { worker: Worker; resolve(counts: Counts | undefined): void }>()
  let questions = 0
  // Whoever is free takes the next connection. Were they handed out in turn, one handed to a worker that has just died would wait for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ exec: program, args: [] })

  const countsOf = (worker: Worker): Promise<Counts | undefined> =>
    new Promise((resolve) => {
      const question = (questions += 1)
      const settle = (counts: Counts | undefined) => {
        asked.delete(question)
        resolve(counts)
      }
      asked.set(question, { worker, resolve: settle })
      setTimeout(settle, patience, undefined).unref()
      tell(worker, { asksCounts: question })
    })

  const tell = (worker: Worker, word: Word): void => {
    // Its end is heard of below.
    if (worker.isConnected()) worker.send(word, () => {})
  }

  // The first process alone has the embedded database, and knows why it does not start.
  let toldFault = databaseFault()
  const looking = setInterval(() => {
    const fault = databaseFault()
    if (fault === toldFault) return
    toldFault = fault
    for (const worker of Object.values(cluster.workers ?? {})) if (worker !== undefined) tell(worker, { databaseFault: fault })
  }, lookMilliseconds)
  looking.unref()

  const hear = async (worker: Worker, answer: Answer): Promise<void> => {
    if ('wakes' in answer) {
      const job = findJob(house, answer.wakes)
      return job && house.wake(job)
    }
    if ('answers' in answer) return asked.get(answer.answers)?.resolve(answer.counts)
    const others = Object.values(cluster.workers ?? {}).flatMap((other) =>
      other === undefined || other === worker ? [] : [countsOf(other)],
    )
    tell(worker, {
      answers: answer.asksCounts,
      counts: [metrics.counts(), ...(await Promise.all(others)).flatMap((counts) => counts ?? [])],
    })
  }

  /** Returns when the worker listens. */
  const start = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = cluster.fork()
      worker.on('message', (answer: Answer) => void hear(worker, answer))
      worker.on('error', (error) => house.log.error({ error }, 'a worker cannot be reached'))
      worker.once('listening', () => resolve())
      worker.once('exit', (code, signal) => {
        for (const question of asked.values()) if (question.worker === worker) question.resolve(undefined)
        reject(new Error(`A worker ended before it listened (${signal ?? code})`))
        if (leaving.signal.aborted) return
        house.log.error({ code, signal }, 'a worker ended; another is started')
        void again()
      })
      tell(worker, { opens: { settings, connection } })
      tell(worker, { databaseFault: toldFault })
    })

  const again = async (): Promise<void> => {
    try {
      await wait(breath, undefined, { signal: leaving.signal })
      await start()
    } catch {
      // The server ends, or this one has ended as well: then the next is under way.
    }
  }

  const stop = async (): Promise<void> => {
    leaving.abort()
    clearInterval(looking)
    await Promise.all(
      Object.values(cluster.workers ?? {}).map(
        (worker) =>
          new Promise<void>((resolve) => {
            if (worker === undefined) return resolve()
            worker.once('exit', () => resolve())
            worker.process.kill('SIGTERM')
          }),
      ),
    )
  }

  try {
    await Promise.all(Array.from({ length: settings.processes }, start))
  } catch (error) {
    await stop()
    throw error
  }
  return { stop }
}

/** In a worker: what to open the house with. */
export async function joinWorkers(): Promise<
  Opening & Required<Pick<RunOptions, 'databaseFault'>> & { others: Others; answerFor(running: Pick<RunningHouse, 'metrics'>): void }
> {
  const asked = new Map<number, (counts: Counts[]) => void>()
  let questions = 0
  let metrics: RunningHouse['metrics'] | undefined
  let fault: string | undefined
  const tell = (answer: Answer): void => void process.send?.(answer)
  const opening = await new Promise<Opening>((resolve) => {
    process.on('message', (word: Word) => {
      if ('opens' in word) resolve(word.opens)
      else if ('databaseFault' in word) fault = word.databaseFault
      else if ('answers' in word) asked.get(word.answers)?.(word.counts)
      else if (metrics !== undefined) tell({ answers: word.asksCounts, counts: metrics.counts() })
    })
  })
  const others: Others = {
    wake: (job) => tell({ wakes: job }),
    counts: () =>
      new Promise((resolve) => {
        const question = (questions += 1)
        const settle = (counts: Counts[]) => {
          asked.delete(question)
          resolve(counts)
        }
        asked.set(question, settle)
        // Longer than the first process waits for the rest.
        setTimeout(settle, 2 * patience, []).unref()
        tell({ asksCounts: question })
      }),
  }
  return { ...opening, databaseFault: () => fault, others, answerFor: (running) => void (metrics = running.metrics) }
}
