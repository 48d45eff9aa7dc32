// The other thread: takes a text, gives back what it decoded to.

import { parentPort } from 'node:worker_threads'
import { decodeText } from './decode.ts'
import type { Task } from './workbench.ts'

parentPort?.on('message', ({ text, rules }: Task) => parentPort?.postMessage(decodeText(text, rules), []))
