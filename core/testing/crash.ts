// Rounds of trouble while certificates are asked for, approved, issued and revoked: kill -9 of the server, the database, or both; a full disk; a clock
// that jumps. After each the server starts again where it must, nobody helps, and everything that it ever acknowledged must still hold.

import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { check, emptyMemory, secondsHalfWay } from './crash-check.ts'
import { emptyLedger, takeUp, work, type Ledger } from './crash-clients.ts'
import { openCrashServer, victims, type CrashServer } from './crash-server.ts'
import { setUpSite } from './crash-site.ts'
import { until } from './until.ts'

export type CrashFigures = {
  brokenInvariants: number
  rounds: number
  diskFullRounds: number
  clockJumpRounds: number
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
/** Both guard against what would hang for good: a busy machine starts a server late. */
const halfWayLimitSeconds = 120
const clientWaitLimitSeconds = 120
const jumpSeconds = 3_600

type Trouble = { name: string; strike(): Promise<void> }

/** What can be done to this server, in turn. Each leaves it in need of a start, or only in doubt. */
function troublesFor(server: CrashServer): Trouble[] {
  const kills = victims.map((victim): Trouble => ({ name: `killed ${victim}`, strike: () => server.kill(victim) }))
  const { fillDisk, setClock } = server
  const others: Trouble[] = []
  if (fillDisk !== undefined)
    others.push({
      name: 'disk full',
      async strike() {
        const free = fillDisk()
        try {
          await wait(randomInt(1_000, 2_500))
        } finally {
          free()
        }
      },
    })
  if (setClock !== undefined) {
    const jump = (name: string, seconds: number): Trouble => ({
      name,
      async strike() {
        setClock(seconds)
        await wait(randomInt(1_200, 2_500))
        await server.kill('server')
      },
    })
    others.push(jump('clock an hour ahead', jumpSeconds), jump('clock an hour back', 0))
  }
  // Between two of the others each kind of kill has its turn.
  return others.length === 0 ? kills : others.flatMap((other) => [...kills, other])
}

const acknowledged = ({ errands }: Ledger): number => errands.filter(({ certificate }) => certificate !== undefined).length

export async function runCrashRounds(
  rounds: number,
  say: (sentence: string) => void = () => {},
  { hostile = false }: { hostile?: boolean } = {},
): Promise<CrashResult> {
  const server = await openCrashServer({ hostile })
  try {
    const site = await setUpSite(server)
    const troubles = troublesFor(server)
    const ledger = emptyLedger()
    const memory = emptyMemory()
    const breaches: string[] = []
    const struck: string[] = []
    let longestStart = 0
    let longestHalfWay = 0
    for (let round = 1; round <= rounds; round += 1) {
      const trouble = troubles[(round - 1) % troubles.length]
      if (trouble === undefined) throw new Error('There is no trouble to make')
      struck.push(trouble.name)
      const breach = (says: string) => {
        breaches.push(`round ${round} (${trouble.name}): ${says}`)
        say(`BROKEN in round ${round} (${trouble.name}): ${says}`)
      }
      const since = ledger.errands.length
      const stop = new AbortController()
      const working = work(site, ledger, clients, stop.signal)
      // In the middle of the work, however slow this machine is.
      const [told, enough] = [acknowledged(ledger), randomInt(5, 25)]
      await until('certificates between which to strike', () => acknowledged(ledger) >= told + enough, {
        state: () => acknowledged(ledger) - told,
      })
      await trouble.strike()
      await wait(randomInt(0, 200))
      stop.abort()
      const began = performance.now()
      await server.start()
      const startSeconds = (performance.now() - began) / 1000
      await working
      const halfWay = await secondsHalfWay(site, halfWayLimitSeconds)
      if (halfWay > halfWayLimitSeconds) breach(`Requests stayed half-way for more than ${halfWayLimitSeconds} s`)
      await takeUp(site, ledger)
      memory.clockJumped = trouble.name.startsWith('clock')
      await check(site, ledger, memory, since, round === rounds, breach)
      for (const refusal of ledger.refusals.splice(0)) breach(`A right request was refused: ${refusal}`)
      longestStart = Math.max(longestStart, startSeconds)
      longestHalfWay = Math.max(longestHalfWay, halfWay)
      say(
        `round ${round} of ${rounds}: ${trouble.name}; ${ledger.errands.length - since} errands, ready after ${startSeconds.toFixed(1)} s, nothing half-way after ${halfWay.toFixed(1)} s more`,
      )
    }
    const waited = ledger.longestWaitMilliseconds / 1000
    if (waited > clientWaitLimitSeconds) breaches.push(`A client waited for ${waited.toFixed(1)} s`)
    const rounded = (seconds: number) => Math.round(seconds * 100) / 100
    return {
      breaches,
      figures: {
        brokenInvariants: breaches.length,
        rounds,
        diskFullRounds: struck.filter((name) => name === 'disk full').length,
        clockJumpRounds: struck.filter((name) => name.startsWith('clock')).length,
        acknowledged: acknowledged(ledger),
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
