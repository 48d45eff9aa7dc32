// OCSP answers for one second of the server's processor time. Signed on demand: every request has its own nonce and is signed, set against what
// OpenSSL's bare P-256 signature costs; of serials that were asked about before, whose status is known under the lease, and of serials that nobody has asked
// about, whose status is read. Kept: the same questions again and again, beside cfssl's responder, which serves the very same answers from a file. The
// load comes from another process, on another core.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { openCrashServer, type CrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'
import { certIdFor } from '#standards/ocsp/cert-id.ts'
import { buildOcspRequest } from '#standards/ocsp/request.ts'
import { parseOcspResponse } from '#standards/ocsp/response.ts'
import { keepOnCore, median, onCore, processorSeconds, rounded } from './machine.ts'
import type { OcspLoad, OcspReport } from './ocsp-load.ts'
import { speedOfP256 } from './openssl.ts'
import type { Bench } from './run.ts'

const connections = 64
const secondsOfARound = 3
const questions = 200
/** Serials that nobody has asked about, for each round: more than are asked about in one. */
const unasked = 25_000

export const run: Bench['run'] = async ({ rounds = 5, say }) => {
  const server = await openCrashServer()
  const load = startLoad()
  let cfssl: Cfssl | undefined
  try {
    const site = await setUpSite(server)
    const serials = await issueIn(server, site.authority.caId, questions)
    const strange = await issueIn(server, site.authority.caId, unasked * rounds)
    const ask = (serial: Buffer, nonce?: Buffer) =>
      Buffer.from(buildOcspRequest({ certIds: [certIdFor(site.authority.certificate, serial)], nonce })).toString('base64')
    const [pid] = server.processes().server
    if (pid === undefined) throw new Error('The server does not run')
    keepOnCore(0, [pid])
    const { port, pathname } = new URL(site.authority.ocspUrl)
    const ours = { port: Number(port), path: pathname, connections, method: 'POST' } as const
    const plain = serials.map((serial) => ask(serial))
    const asked = (round: number) => strange.slice((round - 1) * unasked, round * unasked).map((serial) => ask(serial, randomBytes(32)))
    const withNonce = Array.from({ length: 5_000 }, (_one, at) => ask(serials[at % serials.length] ?? randomBytes(16), randomBytes(32)))

    cfssl = await startCfssl(
      await Promise.all(plain.map(async (request) => (await load.tell({ ...ours, connections: 1, seconds: 0, requests: [request] })).last)),
    )
    if (cfssl === undefined) say('cfssl is not installed (Debian: golang-cfssl): there is nothing to compare kept answers with')
    for (const requests of [plain, withNonce]) await load.tell({ ...ours, requests, seconds: 3 })

    const measured: { signs: number; signed: number; read: number; kept: number; cfssl: number }[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const perSecond = async (order: Omit<OcspLoad, 'seconds'>, of: number): Promise<number> => {
        const before = processorSeconds(of)
        const report = await load.tell({ ...order, seconds: secondsOfARound })
        if (report.refused > 0) throw new Error(`${report.refused} requests were refused`)
        const answer = parseOcspResponse(Buffer.from(report.last, 'base64'))
        if (!('responses' in answer) || answer.responses[0]?.status !== 'good') throw new Error(`The answer is ${answer.status}`)
        return report.answered / (processorSeconds(of) - before)
      }
      measured.push({
        signs: (await speedOfP256(1)).signs,
        signed: await perSecond({ ...ours, requests: withNonce }, pid),
        read: await perSecond({ ...ours, requests: asked(round) }, pid),
        kept: await perSecond({ ...ours, requests: plain }, pid),
        cfssl: cfssl === undefined ? Number.NaN : await perSecond({ ...ours, port: cfssl.port, path: '/', requests: plain }, cfssl.pid),
      })
      const last = measured.at(-1)
      say(
        `round ${round} of ${rounds}: signed ${last?.signed.toFixed(0)}, with the status read ${last?.read.toFixed(0)}, of ${last?.signs.toFixed(0)}, kept ${last?.kept.toFixed(0)}, cfssl ${last?.cfssl.toFixed(0)} for each second of the processor`,
      )
    }
    const of = (key: keyof (typeof measured)[number]) => median(measured.map((one) => one[key]))
    return {
      figures: {
        signedPerProcessorSecond: rounded(of('signed')),
        signedAndReadPerProcessorSecond: rounded(of('read')),
        keptPerProcessorSecond: rounded(of('kept')),
        opensslSignsPerSecond: rounded(of('signs')),
        ...(cfssl === undefined ? {} : { cfsslPerProcessorSecond: rounded(of('cfssl')) }),
        connections,
      },
      ratios: {
        signedShareOfR: rounded(median(measured.map(({ signed, signs }) => signed / signs)), 3),
        ...(cfssl === undefined ? {} : { cachedToCfssl: rounded(median(measured.map((one) => one.kept / one.cfssl)), 2) }),
      },
    }
  } finally {
    cfssl?.end()
    load.end()
    await server.remove()
  }
}

/** Serials that the authority has signed: their rows, as what is asked about is their status. */
async function issueIn(server: CrashServer, caId: string, count: number): Promise<Buffer[]> {
  const client = new pg.Client(server.connection)
  await client.connect()
  try {
    const { rows } = await client.query<{ serial: Buffer }>(
      `insert into serials (tenant_id, ca_id, serial, state, signature_algorithm, about_kind, about_id, certificate_hash, not_after, reserved_at, signed_at)
       select tenant_id, id, '\\x7f'::bytea || substr(sha256(int8send(n + $2)), 1, 15), 'signed', signature_algorithm, 'certificate', gen_random_uuid(), sha256(int8send(n)), now() + interval '1 year', now(), now()
       from authorities, generate_series(1::bigint, $2) n where id = $1 returning serial`,
      [caId, count],
    )
    return rows.map(({ serial }) => serial)
  } finally {
    await client.end()
  }
}

function startLoad() {
  const [program = process.execPath, ...args] = [...onCore(1), process.execPath, new URL('./ocsp-load.ts', import.meta.url).pathname]
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let turn: Promise<unknown> = Promise.resolve()
  const tell = async (order: OcspLoad): Promise<OcspReport> => {
    child.stdin.write(`${JSON.stringify(order)}\n`)
    const { value, done } = await lines.next()
    if (done === true) throw new Error('The load generator ended')
    return JSON.parse(value) as OcspReport
  }
  return {
    tell(order: OcspLoad): Promise<OcspReport> {
      const told = turn.then(() => tell(order))
      turn = told.catch(() => undefined)
      return told
    },
    end: () => void child.kill(),
  }
}

type Cfssl = { port: number; pid: number; end(): void }

/** Serves these answers; undefined where it is not installed. */
async function startCfssl(answers: readonly string[]): Promise<Cfssl | undefined> {
  if (spawnSync('cfssl', ['version']).status !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'chancery-cfssl-'))
  const file = join(folder, 'responses')
  writeFileSync(file, answers.join('\n'))
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const [program = 'cfssl', ...args] = [
    ...onCore(0),
    'cfssl',
    'ocspserve',
    '-address',
    '127.0.0.1',
    '-port',
    String(port),
    '-responses',
    file,
    '-loglevel',
    '5',
  ]
  const child: ChildProcess = spawn(program, args, { stdio: 'ignore' })
  for (let tries = 0; tries < 100; tries += 1) {
    await wait(50)
    if (
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    )
      break
  }
  return {
    port,
    pid: child.pid ?? 0,
    end() {
      child.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
