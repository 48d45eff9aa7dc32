// Reads processor time where the kernel keeps it. Node counts its own process alone; Chromium, PostgreSQL and the servers of a test are others.
import { readdirSync, readFileSync } from 'node:fs'

/** Converts the unit of /proc: the kernel reports to programs in hundredths of a second, whatever its own clock is (proc(5), USER_HZ). */
const ticksPerSecond = 100

/** Reads /proc/PID/stat; undefined where the process has ended, or where the system has no /proc. */
function readStat(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number)
    return { parent: Number(fields[1]), own: (user + system) / ticksPerSecond, ended: (childUser + childSystem) / ticksPerSecond }
  } catch {
    return undefined
  }
}

/** Adds up what one process used so far, without its children; 0 where it cannot be told. */
export function processSeconds(pid) {
  return readStat(pid)?.own ?? 0
}

/** Adds up what this process used so far, in seconds, with all that it started: the kernel has counted the children that ended, those that live are found by their parents. */
export function treeSeconds(root = process.pid) {
  const stats = new Map()
  for (const name of listProcesses()) {
    const stat = readStat(name)
    if (stat !== undefined) stats.set(Number(name), stat)
  }
  if (!stats.has(root)) return root === process.pid ? ownSeconds() : 0
  const children = groupByParent(stats)
  const sum = (pid) => {
    const { own, ended } = stats.get(pid)
    return (children.get(pid) ?? []).reduce((total, child) => total + sum(child), own + ended)
  }
  return sum(root)
}

function listProcesses() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function groupByParent(stats) {
  const groups = new Map()
  for (const [pid, { parent }] of stats) groups.set(parent, [...(groups.get(parent) ?? []), pid])
  return groups
}

function ownSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
