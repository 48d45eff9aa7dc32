// How much of what a certificate costs is Node's and PostgreSQL's: the load of the bench `issue` on a server that only reads, verifies, signs and writes
// the same rows, and on one that does not even write them (bare-server.ts). What `issue` costs more than this is ours.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serialize } from 'node:v8'
import pg from 'pg'
import { certificates } from '#areas/certificates/contract.ts'
import { openCrashServer, type CrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'
import type { BareOrder } from './bare-server.ts'
import { clients, openClients, percentile, secondsOfARound, spentBy, spentOnEach, warmUpSeconds } from './issue-clients.ts'
import { deviceName, makeRequest } from './issue-requests.ts'
import { median, rounded } from './machine.ts'
import { leastWork, speedOfP256 } from './openssl.ts'
import type { Bench } from './run.ts'

export const run: Bench['run'] = async ({ rounds = 5, say }) => {
  const server = await openCrashServer()
  try {
    const records = await issueOne(server)
    // From here on the database is the bare server's alone.
    await server.kill('server')
    const order = { ...records, connection: server.connection, port: Number(new URL(server.origin).port) }
    const withRows = await measure(server, { ...order, withRows: true }, rounds, say)
    const without = await measure(server, { ...order, withRows: false }, rounds, say)
    return {
      figures: {
        perSecond: rounded(withRows.perSecond),
        p99ms: rounded(withRows.p99, 1),
        serverMicroseconds: rounded(withRows.server),
        databaseMicroseconds: rounded(withRows.database),
        withoutRowsPerSecond: rounded(without.perSecond),
        withoutRowsP99ms: rounded(without.p99, 1),
        withoutRowsMicroseconds: rounded(without.server),
        clients,
      },
      ratios: { shareOfL: rounded(withRows.share, 3), shareOfLWithoutRows: rounded(without.share, 3) },
    }
  } finally {
    await server.remove()
  }
}

/** The records of a certificate that the product has issued. */
async function issueOne(server: CrashServer): Promise<Pick<BareOrder, 'request' | 'certificate' | 'eventBody'>> {
  const site = await setUpSite(server)
  const name = deviceName()
  await site.requester.call(certificates.calls.requestForDevice, {
    templateId: site.templateIds.direct,
    csr: makeRequest(name),
    values: { CommonName: [name], DNS: [name] },
  })
  const client = new pg.Client(server.connection)
  await client.connect()
  try {
    const one = async (query: string) => (await client.query(query)).rows[0]
    const { body } = await one(`select body from events where area = 'certificates' and name = 'issued'`)
    return {
      request: await one('select * from certificate_requests'),
      certificate: await one('select * from certificates'),
      eventBody: JSON.parse(body),
    }
  } finally {
    await client.end()
  }
}

type Measured = Record<'perSecond' | 'p99' | 'server' | 'database' | 'share', number>

async function measure(server: CrashServer, order: BareOrder, rounds: number, say: (sentence: string) => void): Promise<Measured> {
  const file = join(server.folder, 'bare.order')
  writeFileSync(file, serialize(order))
  const bare = spawn(process.execPath, [new URL('./bare-server.ts', import.meta.url).pathname, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const load = openClients()
  try {
    await once(bare.stdout, 'data')
    await load.prepare({
      port: order.port,
      path: '/',
      token: 'x'.repeat(40),
      templateId: order.request.template_id,
      rounds,
      perSecond: 4_500,
    })
    await load.run(warmUpSeconds)
    const spent = () => spentBy({ server: [bare.pid ?? 0], database: server.processes().database })
    const measured: Measured[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const speed = await speedOfP256(1)
      const before = spent()
      const { issued, seconds, latencies } = await load.run(secondsOfARound)
      const each = spentOnEach(before, spent(), issued)
      measured.push({
        ...each,
        perSecond: issued / seconds,
        p99: percentile(latencies, 0.99),
        share: 1e6 / (each.server + each.database) / leastWork(speed),
      })
      const { perSecond, p99, share } = measured.at(-1) as Measured
      say(
        `${order.withRows ? 'with' : 'without'} rows, round ${round} of ${rounds}: ${rounded(perSecond)}/s, p99 ${rounded(p99, 1)} ms, ${rounded(each.server)} + ${rounded(each.database)} microseconds, ${rounded(share * 100, 1)} % of L`,
      )
    }
    const middle = (key: keyof Measured) => median(measured.map((one) => one[key]))
    return {
      perSecond: middle('perSecond'),
      p99: middle('p99'),
      server: middle('server'),
      database: middle('database'),
      share: middle('share'),
    }
  } finally {
    load.end()
    bare.kill()
  }
}
