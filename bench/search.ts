// The inventory at a million certificates in two hundred tenancies: what people ask of the list, by 8 clients at once over HTTP, from the largest
// tenancy and from middling ones. Beside it the statements that come to mind first, over the same rows and indexes: LIKE over the columns, count, group by,
// offset. Then Chromium opens the list on a slow line. The machine's cores are shared by clients, server and database.
//
// Nothing is issued meanwhile, so what a text came to is kept after it was first asked. What texts that find many cost where something has just changed is asked
// apart, by nothing but them at once.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { certificates } from '#areas/certificates/contract.ts'
import { makeTenantSecret } from '#core/server/secrets.ts'
import { forgeryCookie, forgeryToken, sessionCookie } from '#core/server/steps/forgery.ts'
import { openCrashServer, type CrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'
import { median, processorSeconds, rounded } from './machine.ts'
import type { Bench } from './run.ts'
import type { Question, SearchLoad, SearchReport } from './search-load.ts'
import { openChromium, openingOf, slowLine } from './search-opening.ts'
import { askPlainly } from './search-plain.ts'
import { questionsAbout } from './search-questions.ts'
import { fillInventory, type Tenant } from './search-rows.ts'

const clients = 8
const warmUp = 400
const questionsOfARound = 1_000
const openings = 3
/** Each takes seconds. */
const plainQuestions = 24

export const run: Bench['run'] = async ({ rounds = 3, rows = 1_000_000, data, say }) => {
  const folder = data === undefined ? undefined : resolve(data)
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  const server = await openCrashServer({ folder })
  const load = startLoad()
  try {
    const tenants = await tenantsIn(server, rows, say)
    const ask = (questions: Question[]) =>
      load.tell({ port: Number(new URL(server.origin).port), path: certificates.calls.search.path, clients, questions })
    const asked = async (count: number, seed: number): Promise<SearchReport> => {
      const report = await ask(questionsAbout(tenants, count, seed))
      if (report.refused.length > 0) throw new Error(`${report.refused.length} answers are wrong: ${report.refused[0]}`)
      return report
    }
    await asked(warmUp, 0)
    const latencies: Record<string, number[]> = {}
    let seconds = 0
    const before = spentBy(server)
    for (let round = 1; round <= rounds; round += 1) {
      const report = await asked(questionsOfARound, round)
      for (const [kind, some] of Object.entries(report.latencies)) (latencies[kind] ??= []).push(...some)
      seconds += report.seconds
      const all = Object.values(report.latencies).flat()
      say(
        `round ${round} of ${rounds}: ${(all.length / report.seconds).toFixed(0)}/s, p50 ${percentile(all, 0.5).toFixed(1)}, p99 ${percentile(all, 0.99).toFixed(1)} ms`,
      )
    }
    const all = Object.values(latencies).flat()
    const processorMs = ((spentBy(server) - before) / all.length) * 1000
    say(`each takes ${processorMs.toFixed(1)} ms of the processor, server and database together`)
    for (const [kind, some] of Object.entries(latencies))
      say(
        `${kind.padEnd(12)} ${String(some.length).padStart(5)} x  p50 ${percentile(some, 0.5).toFixed(1).padStart(6)}  p99 ${percentile(some, 0.99).toFixed(1).padStart(6)}  most ${Math.max(
          ...some,
        )
          .toFixed(1)
          .padStart(6)} ms`,
      )
    const kinds = Object.fromEntries(
      Object.entries(latencies).flatMap(([kind, some]) => [
        [`${kind}P50ms`, rounded(percentile(some, 0.5), 1)],
        [`${kind}P99ms`, rounded(percentile(some, 0.99), 1)],
      ]),
    )
    await forgetAnswers(server)
    const anew = (await ask(manyOnce(tenants))).latencies['textMany'] ?? []
    say(`texts that find many, after a change: p50 ${median(anew).toFixed(1)}, p99 ${percentile(anew, 0.99).toFixed(1)} ms`)
    const plain = await askPlainly(server.connection, questionsAbout(tenants, plainQuestions, 99), tenants, clients)
    say(`plain SQL: p50 ${median(plain).toFixed(0)}, p99 ${percentile(plain, 0.99).toFixed(0)} ms`)
    const opened = await openList(server, tenants, say)
    return {
      figures: {
        p50ms: rounded(percentile(all, 0.5), 1),
        p99ms: rounded(percentile(all, 0.99), 1),
        ...kinds,
        textManyAnewP50ms: rounded(median(anew), 1),
        textManyAnewP99ms: rounded(percentile(anew, 0.99), 1),
        perSecond: rounded(all.length / seconds),
        processorMsEach: rounded(processorMs, 1),
        requests: all.length,
        clients,
        certificates: rows,
        plainSqlP50ms: rounded(median(plain)),
        plainSqlP99ms: rounded(percentile(plain, 0.99)),
        ...opened,
      },
      ratios: { toPlainSql: rounded(mean(plain) / mean(all), 1) },
    }
  } finally {
    load.end()
    await server.remove()
  }
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** As a change that was added up does. */
async function forgetAnswers({ connection }: CrashServer): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query('update certificate_count_versions set version = gen_random_uuid()')
  await client.end()
}

/** Each text that finds many once of each tenancy. */
const manyOnce = (tenants: readonly Tenant[]): Question[] => [
  ...new Map(
    questionsAbout(tenants, questionsOfARound, 1).flatMap((one) =>
      one.kind === 'textMany' ? [[`${one.token} ${JSON.stringify(one.body)}`, one] as const] : [],
    ),
  ).values(),
]

/** Seconds of the processor that server and database have taken so far: what another's work beside them does not change much. */
function spentBy(server: CrashServer): number {
  const { server: own, database } = server.processes()
  const spent = [...own, ...database].map((pid) => {
    try {
      return processorSeconds(pid)
    } catch {
      // A process of the database that has just ended.
      return 0
    }
  })
  return spent.reduce((sum, seconds) => sum + seconds, 0)
}

/** Those of an earlier run where its folder was kept. */
async function tenantsIn(server: CrashServer, rows: number, say: (sentence: string) => void): Promise<Tenant[]> {
  const kept = `${server.folder}/search-bench.json`
  if (existsSync(kept)) {
    await server.start()
    say(`The certificates in ${server.folder} are there already`)
    return JSON.parse(readFileSync(kept, 'utf8')) as Tenant[]
  }
  const site = await setUpSite(server)
  const client = new pg.Client(server.connection)
  await client.connect()
  const { rows: found } = await client.query<{ id: string; tenant_id: string }>(
    'select id, tenant_id from authorities order by id = $1 desc',
    [site.authority.caId],
  )
  await client.end()
  const place = {
    tenantId: found[0]?.tenant_id ?? '',
    token: site.token,
    caIds: found.map(({ id }) => id),
    certificate: site.authority.certificate.encoded,
    folder: server.folder,
    connection: server.connection,
  }
  const tenants = await fillInventory(place, rows, say)
  writeFileSync(kept, JSON.stringify(tenants))
  return tenants
}

function startLoad() {
  const child = spawn(process.execPath, [new URL('./search-load.ts', import.meta.url).pathname], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async tell(order: SearchLoad): Promise<SearchReport> {
      child.stdin.write(`${JSON.stringify(order)}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error('The load generator ended')
      return JSON.parse(value) as SearchReport
    },
    end: () => void child.kill(),
  }
}

/** Signed in by a row of a session, as signing in is not what is measured. */
async function openList(
  server: CrashServer,
  [tenant]: readonly Tenant[],
  say: (sentence: string) => void,
): Promise<Record<string, number>> {
  if (!existsSync('/usr/bin/chromium') || tenant === undefined) {
    say('Chromium is not installed: the list is not opened')
    return {}
  }
  const secret = makeTenantSecret('', tenant.id)
  const client = new pg.Client(server.connection)
  await client.connect()
  await client.query(
    `insert into sessions (tenant_id, id, secret_hash, user_id, stage, working_tenant_id, created_at, expires_at, address, user_agent, strong)
     select $1, gen_random_uuid(), $2, user_id, 'open', $1, now(), now() + interval '1 hour', '', '', true from api_tokens where tenant_id = $1 order by created_at limit 1`,
    [tenant.id, secret.hash],
  )
  await client.end()
  const browser = await openChromium()
  try {
    const cookies = {
      [sessionCookie]: secret.text,
      [forgeryCookie]: forgeryToken(secret.text),
      'session-expiry': String(Date.now() + 3_600_000),
    }
    const measured: { painted: number; row: number }[] = []
    for (let at = 0; at < openings; at += 1)
      measured.push(await openingOf(browser, server.origin, cookies, '/search/certificate', slowLine))
    const [painted, row] = [median(measured.map((one) => one.painted)), median(measured.map((one) => one.row))]
    say(`the list: largest paint after ${painted.toFixed(0)} ms, first row after ${row.toFixed(0)} ms`)
    return { listLcpMs: rounded(painted), listFirstRowMs: rounded(row) }
  } finally {
    await browser.close()
  }
}
