// The clients of the benches of issuing, told what to do; and what a server and its database spend on them.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { LoadOrder, LoadReport } from './issue-load.ts'
import { rounded } from './machine.ts'

export const clients = 64
export const secondsOfARound = 6
/** Until the engine has compiled what it runs; a server that issues is in that state after its first minute. */
export const warmUpSeconds = 12
export type Clients = {
  /** `perSecond` is more than the server answers: each is sent once. Answers how many there are. */
  prepare(order: { port: number; path: string; token: string; templateId: string; rounds: number; perSecond: number }): Promise<number>
  run(seconds: number): Promise<LoadReport>
  end(): void
}

export function openClients(): Clients {
  const child = spawn(process.execPath, [new URL('./issue-load.ts', import.meta.url).pathname], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const tell = async (order: LoadOrder): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(order)}\n`)
    const { value, done } = await lines.next()
    if (done === true) throw new Error('The load generator ended')
    return JSON.parse(value)
  }
  return {
    async prepare({ rounds, perSecond, ...order }) {
      const requests = perSecond * (secondsOfARound * rounds + warmUpSeconds)
      await tell({ does: 'prepare', requests, ...order })
      return requests
    },
    async run(seconds) {
      const report = (await tell({ does: 'run', clients, seconds })) as LoadReport
      if (report.refused.length > 0) throw new Error(`${report.refused.length} requests were refused: ${report.refused[0]}`)
      return report
    },
    end: () => void child.kill(),
  }
}

/** By nearest rank. */
export function percentile(latencies: readonly number[], share: number): number {
  const sorted = latencies.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export type Spent = { server: number; database: number }

/** User and system seconds of these processes so far, with those of their children that have ended. */
export const spentBy = (processes: { server: readonly number[]; database: readonly number[] }): Spent => ({
  server: sum(processes.server),
  database: sum(processes.database),
})

/** In microseconds. */
export const spentOnEach = (before: Spent, { server, database }: Spent, issued: number): Spent => ({
  server: rounded(((server - before.server) / issued) * 1e6, 1),
  database: rounded(((database - before.database) / issued) * 1e6, 1),
})

const ticksASecond = 100
const sum = (pids: readonly number[]): number => pids.reduce((total, pid) => total + secondsOf(pid), 0)

function secondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // proc(5): utime, stime, cutime, cstime are fields 14 to 17; the name in brackets may hold blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [11, 12, 13, 14].reduce((total, at) => total + Number(fields[at]), 0) / ticksASecond
  } catch {
    return 0
  }
}
