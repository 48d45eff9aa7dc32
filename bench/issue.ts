// Certificates a second through the front door: real server, real PostgreSQL with fsync, 64 clients that post CSRs with an API token. What counts is the
// processor time of server and database together for one certificate, set against the least that it can cost: to verify one signature and to
// make one (OpenSSL's own figures of the same minute). Time of the clients is not counted.

import pg from 'pg'
import { certificates } from '#areas/certificates/contract.ts'
import { openCrashServer, type CrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'
import { clients, openClients, percentile, secondsOfARound, spentBy, spentOnEach, warmUpSeconds, type Spent } from './issue-clients.ts'
import { makeRequests } from './issue-requests.ts'
import { median, rounded } from './machine.ts'
import { leastWork, rateOfOpensslCa, speedOfP256 } from './openssl.ts'
import type { Bench } from './run.ts'

export const run: Bench['run'] = async ({ rounds = 5, say }) => {
  const server = await openCrashServer()
  const load = openClients()
  try {
    const site = await setUpSite(server)
    const asked = {
      port: Number(new URL(server.origin).port),
      path: certificates.calls.requestForDevice.path,
      token: site.token,
      templateId: site.templateIds.direct,
    }
    say(`${await load.prepare({ ...asked, rounds, perSecond: 2_800 })} requests are ready`)
    await load.run(warmUpSeconds)

    const measured: Measured[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const speed = await speedOfP256(1)
      const before = spentOf(server)
      const report = await load.run(secondsOfARound)
      // What is done after the answer (numbering events, the tree of the audit) belongs to the certificate as well.
      await allNumbered(server)
      const each = spentOnEach(before, spentOf(server), report.issued)
      const perProcessorSecond = 1e6 / (each.server + each.database)
      const one: Measured = {
        perSecond: report.issued / report.seconds,
        p50: percentile(report.latencies, 0.5),
        p99: percentile(report.latencies, 0.99),
        share: perProcessorSecond / leastWork(speed),
        perProcessorSecond,
        serverMicroseconds: each.server,
        databaseMicroseconds: each.database,
        opensslSigns: speed.signs,
        opensslVerifies: speed.verifies,
        opensslCa: rateOfOpensslCa(makeRequests(400)),
      }
      measured.push(one)
      say(
        `round ${round} of ${rounds}: ${rounded(one.perSecond)}/s, p99 ${rounded(one.p99, 1)} ms, ${rounded(each.server)} + ${rounded(each.database)} microseconds, ${rounded(one.share * 100, 1)} % of L`,
      )
    }
    const middle = (key: keyof Measured) => median(measured.map((one) => one[key]))
    return {
      figures: {
        perSecond: rounded(middle('perSecond')),
        p50ms: rounded(middle('p50'), 1),
        p99ms: rounded(middle('p99'), 1),
        perProcessorSecond: rounded(middle('perProcessorSecond')),
        serverMicroseconds: rounded(middle('serverMicroseconds')),
        databaseMicroseconds: rounded(middle('databaseMicroseconds')),
        opensslSignsPerSecond: rounded(middle('opensslSigns')),
        opensslVerifiesPerSecond: rounded(middle('opensslVerifies')),
        opensslCaPerSecond: rounded(middle('opensslCa')),
        clients,
      },
      ratios: {
        shareOfL: rounded(middle('share'), 3),
        toOpensslCa: rounded(middle('perSecond') / middle('opensslCa'), 2),
      },
    }
  } finally {
    load.end()
    await server.remove()
  }
}

type Measured = Record<
  | 'perSecond'
  | 'p50'
  | 'p99'
  | 'share'
  | 'perProcessorSecond'
  | 'serverMicroseconds'
  | 'databaseMicroseconds'
  | 'opensslSigns'
  | 'opensslVerifies'
  | 'opensslCa',
  number
>

function spentOf(server: CrashServer): Spent {
  const { server: own, workers, database } = server.processes()
  return spentBy({ server: [...own, ...workers], database })
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
