// The people of a tenancy at a million: what is asked of the list and of its search, by 4 clients at once over HTTP. The rows are made in the database, past
// the product; what they are found by has the form that the product gives it. The machine's cores are shared by clients, server and database.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { users } from '#areas/users/contract.ts'
import { openCrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'
import { rounded } from './machine.ts'
import type { Bench } from './run.ts'
import type { Question, SearchLoad, SearchReport } from './search-load.ts'

const clients = 4
const questionsOfARound = 200
const mostMilliseconds = 100
const rowsOfAStep = 50_000

const given = ['Ada', 'Grace', 'Alan', 'Barbara', 'Donald', 'Edsger', 'Frances', 'Ken', 'Margaret', 'Radia'] as const
const kinds = {
  page: (at: number) => ({ page: 1 + (at % 5), size: 25 }),
  status: (at: number) => ({ page: 1, size: 25, status: at % 2 === 0 ? 'disabled' : 'invited' }),
  username: (at: number, rows: number) => ({ page: 1, size: 25, text: `person${1 + ((at * 7_919) % rows)}` }),
  family: (at: number) => ({ page: 1, size: 25, text: `family${(at * 104_729) % 5_000}` }),
  givenMany: (at: number) => ({ page: 1, size: 25, text: given[at % given.length] ?? '' }),
} as const

export const run: Bench['run'] = async ({ rounds = 2, rows = 1_000_000, say }) => {
  const server = await openCrashServer()
  const child = spawn(process.execPath, [new URL('./search-load.ts', import.meta.url).pathname], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  try {
    const site = await setUpSite(server)
    const client = new pg.Client(server.connection)
    await client.connect()
    await fill(client, rows, say).finally(() => client.end())
    const ask = async (seed: number): Promise<SearchReport> => {
      const questions = Array.from({ length: questionsOfARound }, (_one, at): Question => {
        const names = Object.keys(kinds) as (keyof typeof kinds)[]
        const kind = names[at % names.length] ?? 'page'
        return { kind, token: site.token, body: kinds[kind](at + seed * questionsOfARound, rows), mustFind: false }
      })
      const order: SearchLoad = { port: Number(new URL(server.origin).port), path: users.calls.search.path, clients, questions }
      child.stdin.write(`${JSON.stringify(order)}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error('The load generator ended')
      const report = JSON.parse(value) as SearchReport
      if (report.refused.length > 0) throw new Error(`${report.refused.length} answers are wrong: ${report.refused[0]}`)
      return report
    }
    await ask(0)
    const latencies: Record<string, number[]> = {}
    let seconds = 0
    for (let round = 1; round <= rounds; round += 1) {
      const report = await ask(round)
      seconds += report.seconds
      for (const [kind, some] of Object.entries(report.latencies)) (latencies[kind] ??= []).push(...some)
    }
    const all = Object.values(latencies).flat()
    for (const [kind, some] of Object.entries(latencies))
      say(`${kind.padEnd(10)} p50 ${percentile(some, 0.5).toFixed(1).padStart(7)}  p99 ${percentile(some, 0.99).toFixed(1).padStart(7)} ms`)
    const p99 = percentile(all, 0.99)
    return {
      figures: {
        p50ms: rounded(percentile(all, 0.5), 1),
        p99ms: rounded(p99, 1),
        ...Object.fromEntries(Object.entries(latencies).map(([kind, some]) => [`${kind}P99ms`, rounded(percentile(some, 0.99), 1)])),
        perSecond: rounded(all.length / seconds),
        people: rows,
        clients,
      },
      ratios: { p99ToBar: rounded(p99 / mostMilliseconds, 2) },
      failed: p99 > mostMilliseconds,
    }
  } finally {
    child.kill()
    await server.remove()
  }
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

/** One person in ten has each of the ten given names; one in a hundred is disabled, one waits to be activated. */
async function fill(client: pg.Client, rows: number, say: (sentence: string) => void): Promise<void> {
  const { rows: found } = await client.query<{ tenant_id: string }>("select tenant_id from users where username = 'requester' limit 1")
  const tenantId = found[0]?.tenant_id ?? ''
  const began = performance.now()
  for (let from = 1; from <= rows; from += rowsOfAStep) {
    const to = Math.min(rows, from + rowsOfAStep - 1)
    await client.query(
      `insert into users (tenant_id, id, username, given_name, family_name, email_address, email_key, telephone_number, title, locality, organisation,
         enabled, activated_at, created_at, modified_at)
       select $1, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'person' || n, ($4::text[])[1 + n % 10], 'Family' || n % 5000,
         'person' || n || '@example.org', 'person' || n || '@example.org', '', '', '', '', n % 100 <> 1, case when n % 100 <> 2 then now() end, now(), now()
       from generate_series($2::int, $3::int) as n`,
      [tenantId, from, to, given],
    )
    await client.query(
      `insert into user_words (tenant_id, word, user_id)
       select $1, word, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid from generate_series($2::int, $3::int) as n, lateral (
         select 'person' || n as word union select lower(($4::text[])[1 + n % 10]) union select 'family' || n % 5000
         union select 'person' || n || '@example.org' union select lower(($4::text[])[1 + n % 10]) || ' family' || n % 5000) as words`,
      [tenantId, from, to, given],
    )
    say(`${to} people after ${((performance.now() - began) / 1000).toFixed(0)} s`)
  }
  await client.query('vacuum analyze users')
  await client.query('vacuum analyze user_words')
}
