// The other thread: says that it is ready, then takes a text and gives back what it decoded to or whether it is valid.

import { parentPort } from 'node:worker_threads'
import { decodeText } from './decode.ts'
import { verifyTexts } from './verify.ts'
import type { Task } from './workbench.ts'

parentPort?.postMessage('ready', [])
parentPort?.on('message', async (task: Task) => {
  const done = task.kind === 'decode' ? await decodeText(task.asked) : verifyTexts(task.asked)
  try {
    parentPort?.postMessage(done, [])
  } catch {
    // What cannot be sent is not waited for: the thread ends, and whoever asked hears that at once.
    process.exit(1)
  }
})
