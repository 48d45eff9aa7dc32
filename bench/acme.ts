// Orders by ACME: from newOrder to the fetched chain, with http-01 over loopback, on the real server with real PostgreSQL, and on pebble, which keeps all in memory
// and records nothing. What counts is the processor time of server and database for one order. The clients' time is not counted.

import { spawn } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Agent, request as requestHttp } from 'node:http'
import { Agent as SecureAgent, request as requestHttps } from 'node:https'
import { acme } from '#areas/acme/contract.ts'
import {
  acmeClient,
  derOf,
  openWebServer,
  proveByFile,
  type AcmeClient,
  type Send,
  type WebServer,
} from '#areas/acme/server/client.fixture.ts'
import { openNameServer, type LittleNameServer } from '#core/server/outward/dns.fixture.ts'
import { openCrashServer } from '#core/testing/crash-server.ts'
import { setUpSite } from '#core/testing/crash-site.ts'
import { freePort } from '#core/testing/free-port.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { percentile, spentBy } from './issue-clients.ts'
import { makeRequest } from './issue-requests.ts'
import { median, processorSeconds, rounded } from './machine.ts'
import type { Bench } from './run.ts'

const atOnce = 16
const ordersOfARound = 160

type Side = { name: string; directoryUrl: string; send: Send; spent(): number }

/** Sends over kept-alive connections. */
function sender(origin: string): Send {
  const isSecure = origin.startsWith('https:')
  const agent = isSecure ? new SecureAgent({ keepAlive: true, rejectUnauthorized: false }) : new Agent({ keepAlive: true })
  return (path, { method = 'GET', headers, body } = {}) =>
    new Promise((resolve, reject) => {
      const asked = (isSecure ? requestHttps : requestHttp)(
        origin + path,
        { method, agent, headers: Object.fromEntries(new Headers(headers)) },
        (answer) => {
          const parts: Buffer[] = []
          answer.on('data', (part: Buffer) => void parts.push(part))
          answer.on('end', () => {
            const status = answer.statusCode ?? 500
            const content = [204, 304].includes(status) || method === 'HEAD' ? null : Buffer.concat(parts)
            const known = Object.entries(answer.headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
            resolve(new Response(content, { status, headers: Object.fromEntries(known) }))
          })
        },
      )
      asked.on('error', reject)
      asked.end(body === undefined || body === null ? undefined : String(body))
    })
}

let count = 0

async function oneOrder(client: AcmeClient, dns: LittleNameServer, web: WebServer): Promise<void> {
  const name = `n${(count += 1)}.bench.example.org`
  dns.names.set(name, [{ type: 'A', value: '127.0.0.1' }])
  const order = await client.order([name])
  const ready = await proveByFile(client, web, order)
  await client.post(ready.body.finalize, { csr: derOf(makeRequest(name)) })
  const done = await client.settled(order.headers.get('location') ?? '', ['ready', 'processing'])
  if (done.body.status !== 'valid') throw new Error(`The order came to nothing: ${done.text}`)
  await client.ask(done.body.certificate)
}

/** Many orders, so many at once; answers the processor time of each in microseconds, and how long each took. */
async function measure({ directoryUrl, send, spent }: Side, dns: LittleNameServer, web: WebServer) {
  const clients = await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const client = await acmeClient(send, directoryUrl)
      await client.register()
      return client
    }),
  )
  const latencies: number[] = []
  let left = ordersOfARound
  const [before, began] = [spent(), performance.now()]
  await Promise.all(
    clients.map(async (client) => {
      while (left-- > 0) {
        const at = performance.now()
        await oneOrder(client, dns, web)
        latencies.push(performance.now() - at)
      }
    }),
  )
  return {
    perSecond: ordersOfARound / ((performance.now() - began) / 1000),
    microseconds: ((spent() - before) / ordersOfARound) * 1e6,
    p50: percentile(latencies, 0.5),
  }
}

async function startPebble(dns: LittleNameServer, web: WebServer): Promise<{ side: Side; stop(): void }> {
  const folder = openToolFolder()
  const [port, managementPort] = [await freePort(), await freePort()]
  folder.run(
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    'key',
    '-out',
    'cert',
    '-subj',
    '/CN=localhost',
    '-days',
    '2',
  )
  createPrivateKey(folder.read('key'))
  writeFileSync(
    folder.path('config'),
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${managementPort}`,
        certificate: folder.path('cert'),
        privateKey: folder.path('key'),
        httpPort: web.port,
        tlsPort: 443,
        externalAccountBindingRequired: false,
      },
    }),
  )
  const child = spawn('pebble', ['-config', folder.path('config'), '-dnsserver', dns.address], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' },
    stdio: 'ignore',
  })
  const origin = `https://localhost:${port}`
  const send = sender(origin)
  for (let tries = 0; tries < 100; tries += 1) {
    if (
      await send('/dir').then(
        () => true,
        () => false,
      )
    )
      break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    side: { name: 'pebble', directoryUrl: `${origin}/dir`, send, spent: () => processorSeconds(child.pid ?? 0) },
    stop() {
      child.kill()
      folder.remove()
    },
  }
}

export const run: Bench['run'] = async ({ rounds = 3, say }) => {
  const dns = await openNameServer({})
  const web = await openWebServer()
  Object.assign(process.env, {
    CHANCERY_NAME_SERVERS: dns.address,
    CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
    CHANCERY_OUTWARD_PORTS: '1024-65535',
  })
  const server = await openCrashServer()
  const pebble = await startPebble(dns, web)
  try {
    const { requester, templateIds } = await setUpSite(server)
    const { url } = await requester.call(acme.calls.addDirectory, {
      name: 'Bench',
      profiles: [{ name: 'default', templateId: templateIds.direct }],
      eabRequired: false,
      httpPort: web.port,
    })
    const spent = () => {
      const { server: own, workers, database } = server.processes()
      const all = spentBy({ server: [...own, ...workers], database })
      return all.server + all.database
    }
    const ours: Side = { name: 'Chancery', directoryUrl: url, send: sender(server.origin), spent }
    const measured = { ours: [] as Awaited<ReturnType<typeof measure>>[], theirs: [] as Awaited<ReturnType<typeof measure>>[] }
    // The first of each warms up.
    for (let round = 0; round <= rounds; round += 1)
      for (const [side, into] of [
        [ours, measured.ours],
        [pebble.side, measured.theirs],
      ] as const) {
        const one = await measure(side, dns, web)
        if (round > 0) into.push(one)
        say(
          `round ${round} of ${rounds}, ${side.name}: ${rounded(one.perSecond, 1)}/s, ${rounded(one.microseconds)} microseconds each, p50 ${rounded(one.p50)} ms`,
        )
      }
    const middle = (all: typeof measured.ours, key: 'perSecond' | 'microseconds' | 'p50') => median(all.map((one) => one[key]))
    return {
      figures: {
        ordersPerSecond: rounded(middle(measured.ours, 'perSecond'), 1),
        microsecondsPerOrder: rounded(middle(measured.ours, 'microseconds')),
        p50ms: rounded(middle(measured.ours, 'p50')),
        pebbleOrdersPerSecond: rounded(middle(measured.theirs, 'perSecond'), 1),
        pebbleMicrosecondsPerOrder: rounded(middle(measured.theirs, 'microseconds')),
      },
      ratios: { toPebblePerCpu: rounded(middle(measured.theirs, 'microseconds') / middle(measured.ours, 'microseconds'), 2) },
    }
  } finally {
    pebble.stop()
    await server.remove()
    await web.close()
    await dns.close()
  }
}
