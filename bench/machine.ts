// What a bench reads of the processes that it measures: processor time, memory, and on which core they run. Linux only, like the benches.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

const ticksASecond = 100

/** User and system time so far, of all threads. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // proc(5): utime and stime are fields 14 and 15; the name in brackets may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksASecond
}

const inStatus = (pid: number, key: string): number =>
  Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024

/** From now on the highest memory is counted anew. */
export const forgetHighestMemory = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/** The most that was resident since then, in MiB. */
export const highestMemory = (pid: number): number => inStatus(pid, 'VmHWM')

const hasTaskset = (): boolean => spawnSync('taskset', ['--version']).status === 0

/** The words before a program that keep it on one core; none where there is no taskset or one core only. */
export const onCore = (core: number): string[] =>
  hasTaskset() && core < cpus().length && cpus().length > 1 ? ['taskset', '-c', String(core)] : []

/** Keeps running processes, and what they start from now on, on one core. */
export function keepOnCore(core: number, pids: readonly number[]): void {
  if (onCore(core).length === 0) return
  for (const pid of pids) execFileSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'pipe' })
}

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const rounded = (value: number, digits = 0): number => Number(value.toFixed(digits))

export const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN

/** How long each of so many takes, in milliseconds, one after the other. */
export async function timed(count: number, action: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let at = 0; at < count; at += 1) {
    const began = performance.now()
    await action()
    taken.push(performance.now() - began)
  }
  return taken
}
