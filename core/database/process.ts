// Questions about processes that are not our children: a number alone proves nothing, because the system hands out the
// numbers of dead processes again, in a container within seconds.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { systemCode } from './error.ts'

/** A process that has ended but whose parent has not taken notice still has its number; it counts as dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return statistics(pid)[0] !== 'Z'
  } catch (error) {
    return systemCode(error) === 'EPERM'
  }
}

/** A name for a process that no later process has: its number and, where the system tells it, its start. */
export type ProcessName = { readonly pid: number; readonly start: string }

export function processName(pid: number): ProcessName {
  return { pid, start: startOf(pid) }
}

export function isStillThere({ pid, start }: ProcessName): boolean {
  return isAlive(pid) && startOf(pid) === start
}

function startOf(pid: number): string {
  return statistics(pid)[19] ?? ''
}

/** proc(5) `stat` from field 3, the state, on; counted after the name in brackets, which may itself hold blanks. Empty elsewhere. */
function statistics(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Every process of a PostgreSQL server works in the server's data folder. Undefined where the system does not tell. */
export function worksIn(pid: number, directory: string): boolean | undefined {
  try {
    return readlinkSync(join('/proc', String(pid), 'cwd')) === directory
  } catch {
    return undefined
  }
}

/** Whether any process works in the folder. Undefined where the system does not tell. */
export function anyWorksIn(directory: string): boolean | undefined {
  if (process.platform !== 'linux') return undefined
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && worksIn(Number(name), directory) === true)
}
