// Rounds of kill -9 while certificates are asked for, approved, issued and revoked: the server, the database, or both, in turn. After each the
// server starts again, nobody helps, and everything that it ever acknowledged must still hold.

import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { check, emptyMemory, secondsHalfWay } from './crash-check.ts'
import { emptyLedger, takeUp, work } from './crash-clients.ts'
import { openCrashServer, victims } from './crash-server.ts'
import { setUpSite } from './crash-site.ts'

export type CrashFigures = {
  brokenInvariants: number
  rounds: number
  /** Certificates whose issuing a client was told of. */
  acknowledged: number
  denied: number
  revoked: number
  /** Errands that a crash cut short and that were repeated with the same keys. */
  repeated: number
  longestStartSeconds: number
  longestHalfWaySeconds: number
  longestClientWaitSeconds: number
  auditEvents: number
  crlNumber: number
}

export type CrashResult = { figures: CrashFigures; breaches: string[] }

const clients = 6
const halfWayLimitSeconds = 60
const clientWaitLimitSeconds = 30

export async function runCrashRounds(rounds: number, say: (sentence: string) => void = () => {}): Promise<CrashResult> {
  const server = await openCrashServer()
  try {
    const site = await setUpSite(server)
    const ledger = emptyLedger()
    const memory = emptyMemory()
    const breaches: string[] = []
    let longestStart = 0
    let longestHalfWay = 0
    for (let round = 1; round <= rounds; round += 1) {
      const victim = victims[(round - 1) % victims.length] ?? 'both'
      const breach = (says: string) => {
        breaches.push(`round ${round} (${victim}): ${says}`)
        say(`BROKEN in round ${round} (${victim}): ${says}`)
      }
      const since = ledger.errands.length
      const stop = new AbortController()
      const working = work(site, ledger, clients, stop.signal)
      await wait(randomInt(300, 1_200))
      await server.kill(victim)
      await wait(randomInt(0, 200))
      stop.abort()
      const began = performance.now()
      await server.start()
      const startSeconds = (performance.now() - began) / 1000
      await working
      const halfWay = await secondsHalfWay(site, halfWayLimitSeconds)
      if (halfWay > halfWayLimitSeconds) breach(`Requests stayed half-way for more than ${halfWayLimitSeconds} s`)
      await takeUp(site, ledger, halfWayLimitSeconds * 1000)
      await check(site, ledger, memory, since, round === rounds, breach)
      for (const refusal of ledger.refusals.splice(0)) breach(`A right request was refused: ${refusal}`)
      longestStart = Math.max(longestStart, startSeconds)
      longestHalfWay = Math.max(longestHalfWay, halfWay)
      say(`round ${round} of ${rounds}: killed ${victim}; ${ledger.errands.length - since} errands, ready after ${startSeconds.toFixed(1)} s, nothing half-way after ${halfWay.toFixed(1)} s more`)
    }
    const waited = ledger.longestWaitMilliseconds / 1000
    if (waited > clientWaitLimitSeconds) breaches.push(`A client waited for ${waited.toFixed(1)} s`)
    const rounded = (seconds: number) => Math.round(seconds * 100) / 100
    return {
      breaches,
      figures: {
        brokenInvariants: breaches.length,
        rounds,
        acknowledged: ledger.errands.filter(({ certificate }) => certificate !== undefined).length,
        denied: ledger.errands.filter(({ denied }) => denied).length,
        revoked: ledger.errands.filter(({ revokedAt }) => revokedAt !== undefined).length,
        repeated: ledger.repeated,
        longestStartSeconds: rounded(longestStart),
        longestHalfWaySeconds: rounded(longestHalfWay),
        longestClientWaitSeconds: rounded(waited),
        auditEvents: memory.auditRows,
        crlNumber: Number(memory.crlNumber),
      },
    }
  } finally {
    await server.remove()
  }
}
