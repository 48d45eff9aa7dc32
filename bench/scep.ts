// Enrolments by SCEP: one signed and encrypted PKCSReq with an RSA-2048 key, answered with the certificate, on the real server with real PostgreSQL, and on
// micromdm's scepserver (Debian's package scep), which keeps a file and records nothing. What counts is the processor time of server and database for one
// enrolment. The clients' time is not counted: their messages are made before.

import { spawn, spawnSync } from 'node:child_process'
import { sign } from 'node:crypto'
import { openSsl, type OpenSsl } from '#areas/certificates/server/issuing.fixture.ts'
import { protocolRoom } from '#areas/protocols/contract.ts'
import { deviceOf, scepClient } from '#areas/protocols/server/scep-client.fixture.ts'
import { openCrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'
import { freePort } from '#core/testing/free-port.ts'
import { buildScepRequest, readScepMessage } from '#standards/scep/message.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { percentile, spentBy } from './issue-clients.ts'
import { median, processorSeconds, rounded } from './machine.ts'
import type { Bench } from './run.ts'

const enrolmentsOfARound = 160
const challengeOfTheirs = 'bench'

/** `atOnce`: scepserver is asked one by one, because of two at the same moment one finds its file of the serial number there already, and gets failInfo 2. */
type Side = { name: string; atOnce: number; client: Awaited<ReturnType<typeof scepClient>>; challenge: string; spent(): number }

const fetchOf =
  (origin: string) =>
  (path: string, init?: RequestInit): Promise<Response> =>
    fetch(origin + path, init)

/** Lets the connections that a server closed while messages were made be noticed, before anything is sent over them. */
async function wake({ client, atOnce }: Side): Promise<void> {
  for (let tries = 0; tries < 2 * atOnce; tries += 1)
    await Promise.all(Array.from({ length: atOnce }, () => client.ask('GetCACaps').catch(() => undefined)))
}

let count = 0

/** Messages to one server, each of a name and a transaction of its own, with one key. */
async function messagesFor({ client, challenge }: Side, tools: OpenSsl, keyFile: string): Promise<Uint8Array[]> {
  const messages: Uint8Array[] = []
  for (let at = 0; at < enrolmentsOfARound; at += 1) {
    const name = `n${(count += 1)}.bench.example.org`
    const { csr, holder } = deviceOf(tools, { subject: `/CN=${name}`, names: [name], challenge, keyFile })
    messages.push(
      await buildScepRequest({
        by: {
          certificate: holder.certificate,
          algorithm: 'sha256WithRSAEncryption',
          sign: (data) => sign('sha256', data, holder.privateKey),
        },
        to: client.registrar,
        content: csr,
        messageType: 'PKCSReq',
        transactionId: name,
      }),
    )
  }
  return messages
}

async function measure(side: Side, messages: Uint8Array[]) {
  await wake(side)
  const latencies: number[] = []
  const [before, began] = [side.spent(), performance.now()]
  const waiting = [...messages]
  await Promise.all(
    Array.from({ length: side.atOnce }, async () => {
      for (let message = waiting.pop(); message !== undefined; message = waiting.pop()) {
        const at = performance.now()
        const answer = await side.client.post(message)
        const read = readScepMessage(Buffer.from(await answer.arrayBuffer()))
        if (read.envelope === undefined) throw new Error(`${side.name} issued nothing: ${read.failInfoText ?? String(read.failInfo)}`)
        latencies.push(performance.now() - at)
      }
    }),
  )
  return {
    perSecond: messages.length / ((performance.now() - began) / 1000),
    microseconds: ((side.spent() - before) / messages.length) * 1e6,
    p50: percentile(latencies, 0.5),
  }
}

async function startScepserver(): Promise<{ side: Side; stop(): void }> {
  const folder = openToolFolder()
  const made = spawnSync('scepserver', ['ca', '-init', '-depot', folder.path('depot')], { cwd: folder.folder })
  if (made.error !== undefined || made.status !== 0) throw new Error("scepserver of Debian's package scep does not start")
  const port = await freePort()
  const words = ['-depot', folder.path('depot'), '-port', String(port), '-challenge', challengeOfTheirs, '-allowrenew', '0']
  const child = spawn('scepserver', words, { stdio: 'ignore' })
  const origin = `http://127.0.0.1:${port}`
  const fetchFrom = fetchOf(origin)
  let client: Side['client'] | undefined
  for (let tries = 0; tries < 100 && client === undefined; tries += 1) {
    client = await scepClient(fetchFrom, `${origin}/scep`).catch(() => undefined)
    if (client === undefined) await new Promise((resolve) => setTimeout(resolve, 100))
  }
  if (client === undefined) throw new Error('scepserver does not answer')
  return {
    side: { name: 'scepserver', atOnce: 1, client, challenge: challengeOfTheirs, spent: () => processorSeconds(child.pid ?? 0) },
    stop() {
      child.kill()
      folder.remove()
    },
  }
}

export const run: Bench['run'] = async ({ rounds = 3, say }) => {
  const server = await openCrashServer()
  const theirs = await startScepserver()
  const tools = openSsl()
  try {
    const { requester, templateIds } = await setUpSite(server)
    const { id, url } = await requester.call(protocolRoom.calls.addProfile, {
      protocol: 'scep',
      name: 'Bench',
      templateId: templateIds.direct,
    })
    const { secret: challenge } = await requester.call(protocolRoom.calls.addSecret, { profileId: id, name: 'Bench', names: {} })
    const spent = () => {
      const { server: own, workers, database } = server.processes()
      const all = spentBy({ server: [...own, ...workers], database })
      return all.server + all.database
    }
    const client = await scepClient(fetchOf(server.origin), url)
    const ours: Side = { name: 'Chancery', atOnce: 8, client, challenge, spent }
    const keyFile = tools.write(tools.run('genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'))
    const measured = { ours: [] as Awaited<ReturnType<typeof measure>>[], theirs: [] as Awaited<ReturnType<typeof measure>>[] }
    // The first of each warms up.
    for (let round = 0; round <= rounds; round += 1)
      for (const [side, into] of [
        [ours, measured.ours],
        [theirs.side, measured.theirs],
      ] as const) {
        const one = await measure(side, await messagesFor(side, tools, keyFile))
        if (round > 0) into.push(one)
        say(
          `round ${round} of ${rounds}, ${side.name}: ${rounded(one.perSecond, 1)}/s, ${rounded(one.microseconds)} microseconds each, p50 ${rounded(one.p50)} ms`,
        )
      }
    const middle = (all: typeof measured.ours, key: 'perSecond' | 'microseconds' | 'p50') => median(all.map((one) => one[key]))
    return {
      figures: {
        enrolmentsPerSecond: rounded(middle(measured.ours, 'perSecond'), 1),
        microsecondsPerEnrolment: rounded(middle(measured.ours, 'microseconds')),
        p50ms: rounded(middle(measured.ours, 'p50')),
        scepserverPerSecond: rounded(middle(measured.theirs, 'perSecond'), 1),
        scepserverMicroseconds: rounded(middle(measured.theirs, 'microseconds')),
      },
      ratios: { toScepserverPerCpu: rounded(middle(measured.theirs, 'microseconds') / middle(measured.ours, 'microseconds'), 2) },
    }
  } finally {
    theirs.stop()
    tools.close()
    await server.remove()
  }
}
