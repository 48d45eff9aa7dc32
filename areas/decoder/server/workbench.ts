// Decoding and verifying happen in a thread of its own, one text after the other. A text that takes too long, or more memory than its
// share, ends that thread and nothing else; the next text gets a new one.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { decodingMilliseconds, waitingAtMost, waitingEach } from '../rules.ts'
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

export function openWorkbench({
  milliseconds = decodingMilliseconds,
  megabytes = 256,
}: { milliseconds?: number; megabytes?: number } = {}): Workbench {
  let worker: Worker | undefined
  let turn: Promise<unknown> = Promise.resolve()
  /** Who waits, once for each text. */
  const waiting: string[] = []

  return {
    decode: (asked, whose) => inTurn({ kind: 'decode', asked }, whose),
    verify: (asked, whose) => inTurn({ kind: 'verify', asked }, whose),
    async close() {
      await worker?.terminate()
      worker = undefined
    },
  }

  async function inTurn<Kind extends keyof Tasks>(task: Task & { kind: Kind }, whose: string): Promise<Outcome<Kind>> {
    if (waiting.length >= waitingAtMost || waiting.filter((one) => one === whose).length >= waitingEach) return 'busy'
    waiting.push(whose)
    const mine = turn.then(() => run<Kind>(task))
    turn = mine.catch(() => {})
    try {
      return await mine
    } finally {
      waiting.splice(waiting.indexOf(whose), 1)
    }
  }

  function run<Kind extends keyof Tasks>(task: Task & { kind: Kind }): Promise<Outcome<Kind>> {
    const thread = (worker ??= newWorker())
    return new Promise((resolve) => {
      const timer = setTimeout(() => end('tooLong'), milliseconds)
      const finished = (done: Tasks[Kind]['done']) => end(done)
      const broken = () => end('tooLong')
      const end = (outcome: Outcome<Kind>) => {
        clearTimeout(timer)
        thread.off('message', finished)
        thread.off('error', broken)
        thread.off('exit', broken)
        if (typeof outcome === 'string') {
          worker = undefined
          void thread.terminate()
        }
        resolve(outcome)
      }
      thread.on('message', finished)
      thread.on('error', broken)
      thread.on('exit', broken)
      thread.postMessage(task, [])
    })
  }

  function newWorker(): Worker {
    const thread = new Worker(join(dirname(fileURLToPath(import.meta.url)), 'worker.ts'), {
      resourceLimits: { maxOldGenerationSizeMb: megabytes, stackSizeMb: 4 },
    })
    // What a thread reports when nobody waits for it concerns nobody.
    thread.on('error', () => {})
    thread.on('exit', () => {
      if (worker === thread) worker = undefined
    })
    thread.unref()
    return thread
  }
}
