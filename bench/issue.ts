// Certificates a second through the front door: real server, real PostgreSQL with fsync, 64 clients that post CSRs with an API token. What counts is the
// processor time of server and database together for one certificate, set against the least that it can cost: to verify one signature and to
// make one (OpenSSL's own figures of the same minute). Time of the clients is not counted.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { certificates } from '#areas/certificates/contract.ts'
import { openCrashServer, type CrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'
import type { LoadOrder, LoadReport } from './issue-load.ts'
import { makeRequests } from './issue-requests.ts'
import { leastWork, rateOfOpensslCa, speedOfP256 } from './openssl.ts'
import type { Bench } from './run.ts'

const clients = 64
const secondsOfARound = 6
/** The load generator makes this many for each second; more than any server here answers. */
const requestsASecond = 2_500

export const run: Bench['run'] = async ({ rounds = 5, say }) => {
  const server = await openCrashServer()
  const load = startLoad()
  try {
    const site = await setUpSite(server)
    const token = site.token
    const order: LoadOrder = {
      does: 'prepare',
      requests: requestsASecond * (secondsOfARound * rounds + 3),
      port: Number(new URL(server.origin).port),
      path: certificates.calls.requestForDevice.path,
      token,
      templateId: site.templateIds.direct,
    }
    await load.tell(order)
    say(`${order.requests} requests are ready`)
    await load.tell({ does: 'run', clients, seconds: 3 })

    const measured: Measured[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const speed = await speedOfP256(1)
      const before = processorSeconds(server)
      const report = (await load.tell({ does: 'run', clients, seconds: secondsOfARound })) as LoadReport
      // What is done after the answer (numbering events, the tree of the audit) belongs to the certificate as well.
      await allNumbered(server)
      const used = processorSeconds(server)
      const spent = { server: used.server - before.server, database: used.database - before.database }
      if (report.refused.length > 0) throw new Error(`${report.refused.length} requests were refused: ${report.refused[0]}`)
      const perProcessorSecond = report.issued / (spent.server + spent.database)
      const latencies = report.latencies.toSorted((a, b) => a - b)
      const percentile = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN
      measured.push({
        perSecond: report.issued / report.seconds,
        p50: percentile(0.5),
        p99: percentile(0.99),
        share: perProcessorSecond / leastWork(speed),
        perProcessorSecond,
        serverMicroseconds: (spent.server / report.issued) * 1e6,
        databaseMicroseconds: (spent.database / report.issued) * 1e6,
        opensslSigns: speed.signs,
        opensslVerifies: speed.verifies,
        opensslCa: rateOfOpensslCa(makeRequests(400)),
      })
      const last = measured.at(-1)
      say(`round ${round} of ${rounds}: ${last?.perSecond.toFixed(0)}/s, p99 ${last?.p99.toFixed(1)} ms, ${last?.serverMicroseconds.toFixed(0)} + ${last?.databaseMicroseconds.toFixed(0)} microseconds, ${((last?.share ?? 0) * 100).toFixed(1)} % of L`)
    }
    const median = (key: keyof Measured) => {
      const sorted = measured.map((one) => one[key]).toSorted((a, b) => a - b)
      return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
    }
    const rounded = (value: number, digits = 0) => Number(value.toFixed(digits))
    return {
      figures: {
        perSecond: rounded(median('perSecond')),
        p50ms: rounded(median('p50'), 1),
        p99ms: rounded(median('p99'), 1),
        perProcessorSecond: rounded(median('perProcessorSecond')),
        serverMicroseconds: rounded(median('serverMicroseconds')),
        databaseMicroseconds: rounded(median('databaseMicroseconds')),
        opensslSignsPerSecond: rounded(median('opensslSigns')),
        opensslVerifiesPerSecond: rounded(median('opensslVerifies')),
        opensslCaPerSecond: rounded(median('opensslCa')),
        clients,
      },
      ratios: {
        shareOfL: rounded(median('share'), 3),
        toOpensslCa: rounded(median('perSecond') / median('opensslCa'), 2),
      },
    }
  } finally {
    load.end()
    await server.remove()
  }
}

type Measured = Record<'perSecond' | 'p50' | 'p99' | 'share' | 'perProcessorSecond' | 'serverMicroseconds' | 'databaseMicroseconds' | 'opensslSigns' | 'opensslVerifies' | 'opensslCa', number>

function startLoad() {
  const child = spawn(process.execPath, [new URL('./issue-load.ts', import.meta.url).pathname], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async tell(order: LoadOrder): Promise<unknown> {
      child.stdin.write(`${JSON.stringify(order)}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error('The load generator ended')
      return JSON.parse(value)
    },
    end: () => void child.kill(),
  }
}

/** User and system time of all processes of the server and of its database so far, with those of their children that have ended. */
function processorSeconds(server: CrashServer): { server: number; database: number } {
  const { server: own, workers, database } = server.processes()
  return { server: sum([...own, ...workers]), database: sum(database) }
}
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

async function allNumbered(server: CrashServer): Promise<void> {
  const client = new pg.Client(server.connection)
  await client.connect()
  try {
    // By its index, whatever is known of a table that was empty a moment ago: this is the bench's own work, and is counted as the database's.
    await client.query('set enable_seqscan = off')
    for (;;) {
      const { rows } = await client.query<{ waiting: boolean }>('select exists (select from events where sequence is null) as waiting')
      if (rows[0]?.waiting !== true) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } finally {
    await client.end()
  }
}
