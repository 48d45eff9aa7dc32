// Whether a large RSA modulus is a prime takes 80 ms for 4096 bits, in which nobody else would be answered. It is looked at in a thread of its own, one after
// the other; of one person so many can wait. The outcome is remembered with the key, so that the look that follows finds it.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { commonFault } from '#core/server/fault.ts'
import type { PublicKeyInfo } from '#standards/x509/public-key-info.ts'
import { largeModulus, rememberPrimality } from '#standards/x509/rsa-checks.ts'

/** More than any program asks for side by side, and less than three seconds of work. */
const waitingEach = 32

/** Who waits, with how many keys and for what of their own. Each has one at a time with the thread. */
const lines = new Map<string, { waiting: number; last: Promise<void> }>()

/** Looks at the modulus of a large RSA key, where it is not known; nothing to do for all others. Throws the 429 of whoever has too many waiting. */
export async function checkLargeKey(key: PublicKeyInfo, whose: string): Promise<void> {
  if (largeModulus(key) === undefined) return
  const line = lines.get(whose) ?? { waiting: 0, last: Promise.resolve() }
  if (line.waiting >= waitingEach) throw commonFault('too_many_requests')
  lines.set(whose, line)
  line.waiting += 1
  const mine = line.last.then(async () => {
    // One of those before may have been the same.
    const modulus = largeModulus(key)
    if (modulus !== undefined) rememberPrimality(modulus, await askThread(modulus))
  })
  line.last = mine.catch(() => {})
  try {
    await mine
  } finally {
    line.waiting -= 1
    if (line.waiting === 0) lines.delete(whose)
  }
}

let thread: Worker | undefined
let turn: Promise<unknown> = Promise.resolve()

function askThread(modulus: Uint8Array): Promise<boolean> {
  const asked = turn.then(() => ask((thread ??= newThread()), modulus))
  turn = asked.catch(() => {})
  return asked
}

function ask(worker: Worker, modulus: Uint8Array): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('The thread that looks at large keys ended'))
    worker.once('exit', ended)
    worker.once('message', (prime: boolean) => {
      worker.off('exit', ended)
      resolve(prime)
    })
    worker.postMessage(modulus, [])
  })
}

function newThread(): Worker {
  const worker = new Worker(join(dirname(fileURLToPath(import.meta.url)), 'prime-worker.ts'), {
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  })
  // An error ends the thread, and whoever waits hears of the end.
  worker.on('error', () => {})
  worker.on('exit', () => {
    if (thread === worker) thread = undefined
  })
  worker.unref()
  return worker
}
