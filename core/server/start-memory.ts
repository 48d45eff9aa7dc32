// A start needs more memory than the server that comes of it: sources, what was made of them, the shapes of every contract on the way to what is
// kept of them. The engine would hold on to those 40 MB for as long as nothing forces it to look, so it is told to look, once.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** By then whoever waited for the server has had the first answers. */
const afterStart = 2_000

export function releaseMemoryOfStart(): void {
  setTimeout(() => void collectGarbage(), afterStart).unref()
}

/** Some 50 ms of this process, so never while it is at work. */
export async function collectGarbage(): Promise<void> {
  // There is no way to ask for it but by the flag, which is seen by contexts that are made after it.
  setFlagsFromString('--expose-gc')
  const collect: NodeJS.GCFunction = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  await collect({ type: 'major', execution: 'async' })
}
