// The tickets of a desk at a million: what people ask of the list and of its search, by 4 clients at once over HTTP. The rows are made in the database, past
// the product; what they are found by has the form that the product gives it. The machine's cores are shared by clients, server and database.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { tickets } from '#areas/tickets/contract.ts'
import { openCrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'
import { rounded } from './machine.ts'
import type { Bench } from './run.ts'
import type { Question, SearchLoad, SearchReport } from './search-load.ts'

const clients = 4
const questionsOfARound = 400
const mostMilliseconds = 100
const wordsOfATicket = 12
const rowsOfAStep = 50_000

const common = ['reader', 'printer', 'card', 'certificate', 'renewal', 'password', 'denied', 'server', 'phone', 'slow'] as const
const kinds = {
  page: (at: number) => ({ page: 1 + (at % 5), size: 10 }),
  status: (at: number) => ({ page: 1, size: 10, status: [at % 2 === 0 ? 'open' : 'in_progress'] }),
  priority: () => ({ page: 1, size: 10, priority: ['Urgent'], status: ['open', 'reopened'] }),
  own: () => ({ page: 1, size: 10, whose: 'createdByMe' }),
  number: (at: number, rows: number) => ({ page: 1, size: 10, text: `#${1 + ((at * 7_919) % rows)}` }),
  textRare: (at: number) => ({ page: 1, size: 10, text: `w${(at * 104_729) % 200_000}x` }),
  textMany: (at: number) => ({ page: 1, size: 10, text: common[at % common.length] ?? '' }),
  textBoth: (at: number) => ({ page: 1, size: 10, text: `${common[at % common.length]} ${common[(at + 3) % common.length]}` }),
  beginning: (at: number) => ({ page: 1, size: 10, text: (common[at % common.length] ?? '').slice(0, 3) }),
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
      const order: SearchLoad = { port: Number(new URL(server.origin).port), path: tickets.calls.search.path, clients, questions }
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
        tickets: rows,
        wordsOfATicket,
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

/** Two words of each ticket are common ones, the others rare; one ticket in twenty is not closed. */
async function fill(client: pg.Client, rows: number, say: (sentence: string) => void): Promise<void> {
  const { rows: found } = await client.query<{ id: string; tenant_id: string }>(
    "select id, tenant_id from users where username = 'requester' limit 1",
  )
  const { id: userId, tenant_id: tenantId } = found[0] ?? { id: '', tenant_id: '' }
  const began = performance.now()
  for (let from = 1; from <= rows; from += rowsOfAStep) {
    const to = Math.min(rows, from + rowsOfAStep - 1)
    await client.query(
      `insert into tickets (tenant_id, ticket_id, id, title, category, description, status, priority, created_by, created_name, waiting_on, created_at, updated_at, closed_at)
       select $1, n, gen_random_uuid(), 'Ticket about ' || n, (array['General','Bug','Feature','Other'])[1 + n % 4], 'It does not work', state,
         (array['Low','Normal','High','Urgent'])[1 + (n / 7) % 4], case when n % 100 = 0 then $2::uuid else gen_random_uuid() end, 'person' || n % 5000, 'us', at, at,
         case when state = 'closed' then at end
       from (select n, now() - (${rows} - n) * interval '1 minute' as at,
         case when n % 20 <> 0 then 'closed' else (array['open','reviewed','in_progress','reopened'])[1 + (n / 20) % 4] end as state
         from generate_series($3::int, $4::int) as n) as made`,
      [tenantId, userId, from, to],
    )
    await client.query(
      `insert into ticket_words (tenant_id, word, ticket_id)
       select $1, word, n from generate_series($2::int, $3::int) as n, lateral (
         select n::text as word union select ($4::text[])[1 + (n * 31) % 10] union select ($4::text[])[1 + (n * 17 + n / 10) % 10]
         union select 'w' || (hashint8(n::bigint * 64 + k) & 2147483647) % 200000 || 'x' from generate_series(1, $5::int) as k) as words
       on conflict do nothing`,
      [tenantId, from, to, common, wordsOfATicket - 3],
    )
    if (to % 250_000 === 0 || to === rows) say(`${to} tickets after ${((performance.now() - began) / 1000).toFixed(0)} s`)
  }
  await client.query('insert into ticket_numbers (tenant_id, last) values ($1, $2) on conflict (tenant_id) do update set last = $2', [
    tenantId,
    rows,
  ])
  await client.query('vacuum analyze tickets')
  await client.query('vacuum analyze ticket_words')
}
