// What the product computes, in processor time: a busy machine lengthens only the time that passes.

import { readFileSync } from 'node:fs'

/** Linux counts for `/proc` in hundredths of a second, whatever its own clock is. */
const ticksPerSecond = 100

/** Seconds that a process and those below it have computed so far. */
export function computedSeconds(pid: number): number {
  const [stat, children] = [read(`/proc/${pid}/stat`), read(`/proc/${pid}/task/${pid}/children`)]
  // The second field is the name of the program in brackets, with whatever that name has in it.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  const own = (Number(user ?? 0) + Number(system ?? 0)) / ticksPerSecond
  return children
    .split(' ')
    .filter((child) => child !== '')
    .reduce((sum, child) => sum + computedSeconds(Number(child)), own)
}

/** A process that has ended meanwhile computes no more. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
