// Decoding and verifying happen in threads of their own, of each person one text after the other. A text that takes too long, or more memory than its
// share, ends its thread and nothing else; the next text gets a new one.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { decodingMilliseconds, threadsAtMost, waitingAtMost, waitingEach } from '../rules.ts'
import type { Decoded } from './decode.ts'
import type { Verified, VerificationAsked } from './verify.ts'

/** What the thread can be asked, and what it answers. */
export type Tasks = {
  decode: { asked: { text: string; rules: string; password?: string }; done: Decoded }
  verify: { asked: VerificationAsked; done: Verified }
}
export type Task = { [Kind in keyof Tasks]: { kind: Kind; asked: Tasks[Kind]['asked'] } }[keyof Tasks]
export type Outcome<Kind extends keyof Tasks> = Tasks[Kind]['done'] | 'tooLong' | 'busy'

/** `whose`: who asks, of whom few can wait at a time. */
export type Workbench = { [Kind in keyof Tasks]: (asked: Tasks[Kind]['asked'], whose: string) => Promise<Outcome<Kind>> } & {
  close(): Promise<void>
}

/** Kept when nobody asks: each takes its share of memory. */
const spareThreads = 2

/** How a thread ends without an answer: an answer that cannot be read from the other thread is none. */
const endings = ['error', 'exit', 'messageerror'] as const

type Waiting = { whose: string; start(thread: Worker): Promise<void>; refuse(): void }

export function openWorkbench({
  milliseconds = decodingMilliseconds,
  megabytes = 256,
}: { milliseconds?: number; megabytes?: number } = {}): Workbench {
  const threads = new Set<Worker>()
  const ready = new WeakMap<Worker, Promise<void>>()
  const idle: Worker[] = []
  const waiting: Waiting[] = []
  /** Whose text is worked on: of each person one at a time. */
  const served: string[] = []

  return {
    decode: (asked, whose) => inTurn({ kind: 'decode', asked }, whose),
    verify: (asked, whose) => inTurn({ kind: 'verify', asked }, whose),
    async close() {
      for (const { refuse } of waiting.splice(0)) refuse()
      await Promise.all([...threads].map((thread) => thread.terminate()))
    },
  }

  function inTurn<Kind extends keyof Tasks>(task: Task & { kind: Kind }, whose: string): Promise<Outcome<Kind>> {
    const ofOne = waiting.filter((one) => one.whose === whose).length + (served.includes(whose) ? 1 : 0)
    if (waiting.length + served.length >= waitingAtMost || ofOne >= waitingEach) return Promise.resolve('busy')
    return new Promise((resolve) => {
      waiting.push({ whose, start: (thread) => run<Kind>(thread, task).then(resolve), refuse: () => resolve('busy') })
      serve()
    })
  }

  /** Starts what may start: whoever has a text in work waits with the next, so that nobody holds more than one thread. */
  function serve(): void {
    while (served.length < threadsAtMost) {
      const at = waiting.findIndex(({ whose }) => !served.includes(whose))
      const [next] = at < 0 ? [] : waiting.splice(at, 1)
      if (next === undefined) break
      served.push(next.whose)
      const thread = idle.pop() ?? newWorker()
      void next.start(thread).then(() => {
        served.splice(served.indexOf(next.whose), 1)
        if (threads.has(thread)) idle.push(thread)
        serve()
      })
    }
    // The next person does not wait for a thread to start.
    if (served.length > 0 && idle.length === 0 && threads.size < threadsAtMost) idle.push(newWorker())
    while (idle.length > spareThreads) void dismiss(idle[0])
  }

  function dismiss(thread: Worker | undefined): Promise<number> | undefined {
    if (thread === undefined) return undefined
    threads.delete(thread)
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
    return thread.terminate()
  }

  /** The time of a text begins when its thread is ready: how long a thread takes to start is no fault of the text. */
  async function run<Kind extends keyof Tasks>(thread: Worker, task: Task & { kind: Kind }): Promise<Outcome<Kind>> {
    await ready.get(thread)
    if (!threads.has(thread)) return 'tooLong'
    return new Promise((resolve) => {
      const timer = setTimeout(() => end('tooLong'), milliseconds)
      const finished = (done: Tasks[Kind]['done']) => end(done)
      const broken = () => end('tooLong')
      const end = (outcome: Outcome<Kind>) => {
        clearTimeout(timer)
        thread.off('message', finished)
        for (const event of endings) thread.off(event, broken)
        if (typeof outcome === 'string') void dismiss(thread)
        resolve(outcome)
      }
      thread.on('message', finished)
      for (const event of endings) thread.on(event, broken)
      thread.postMessage(task, [])
    })
  }

  function newWorker(): Worker {
    const thread = new Worker(join(dirname(fileURLToPath(import.meta.url)), 'worker.ts'), {
      resourceLimits: { maxOldGenerationSizeMb: megabytes, stackSizeMb: 4 },
    })
    // What a thread reports when nobody waits for it concerns nobody.
    thread.on('error', () => {})
    thread.on('exit', () => void dismiss(thread))
    thread.unref()
    threads.add(thread)
    ready.set(thread, started(thread))
    return thread
  }
}

const longestStart = 60_000

/** Until the thread says that it is ready, or is gone. */
const started = (thread: Worker): Promise<void> =>
  new Promise((resolve) => {
    const impatience = setTimeout(() => void thread.terminate(), longestStart)
    const settle = () => {
      clearTimeout(impatience)
      resolve()
    }
    thread.once('message', settle).once('exit', settle)
  })
