// Decoding and verifying happen in a thread of its own, one text after the other. A text that takes too long, or more memory than its
// share, ends that thread and nothing else; the next text gets a new one.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { decodingMilliseconds, waitingAtMost } from '../rules.ts'
import type { Decoded } from './decode.ts'
import type { Verified, VerificationAsked } from './verify.ts'

/** What the thread can be asked, and what it answers. */
export type Tasks = {
  decode: { asked: { text: string; rules: string; password?: string }; done: Decoded }
  verify: { asked: VerificationAsked; done: Verified }
}
export type Task = { [Kind in keyof Tasks]: { kind: Kind; asked: Tasks[Kind]['asked'] } }[keyof Tasks]
export type Outcome<Kind extends keyof Tasks> = Tasks[Kind]['done'] | 'tooLong' | 'busy'

export type Workbench = { [Kind in keyof Tasks]: (asked: Tasks[Kind]['asked']) => Promise<Outcome<Kind>> } & { close(): Promise<void> }

export function openWorkbench({ milliseconds = decodingMilliseconds, megabytes = 256 }: { milliseconds?: number; megabytes?: number } = {}): Workbench {
  let worker: Worker | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0

  return {
    decode: (asked) => inTurn({ kind: 'decode', asked }),
    verify: (asked) => inTurn({ kind: 'verify', asked }),
    async close() {
      await worker?.terminate()
      worker = undefined
    },
  }

  async function inTurn<Kind extends keyof Tasks>(task: Task & { kind: Kind }): Promise<Outcome<Kind>> {
    if (waiting >= waitingAtMost) return 'busy'
    waiting += 1
    const mine = turn.then(() => run<Kind>(task))
    turn = mine.catch(() => {})
    try {
      return await mine
    } finally {
      waiting -= 1
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
    const thread = new Worker(join(dirname(fileURLToPath(import.meta.url)), 'worker.ts'), { resourceLimits: { maxOldGenerationSizeMb: megabytes, stackSizeMb: 4 } })
    // What a thread reports when nobody waits for it concerns nobody.
    thread.on('error', () => {})
    thread.on('exit', () => {
      if (worker === thread) worker = undefined
    })
    thread.unref()
    return thread
  }
}
