// The other thread: takes a text, gives back what it decoded to or whether it is valid.

import { parentPort } from 'node:worker_threads'
import { decodeText } from './decode.ts'
import { verifyTexts } from './verify.ts'
import type { Task } from './workbench.ts'

parentPort?.on('message', async (task: Task) => {
  const done = task.kind === 'decode' ? await decodeText(task.asked) : verifyTexts(task.asked)
  parentPort?.postMessage(done, [])
})
