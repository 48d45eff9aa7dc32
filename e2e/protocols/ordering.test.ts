// Our ACME client against pebble, the test server of Let's Encrypt, which refuses every second nonce; and its dynamic updates against knot.

import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWebServer, type WebServer } from '#areas/acme/server/client.fixture.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { ordering } from '#areas/ordering/contract.ts'
import { openNameServer, type LittleNameServer } from '#core/server/outward/dns.fixture.ts'
import { freePort } from '#core/testing/free-port.ts'
import { until } from '#core/testing/until.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'
import { openBrowser, openWindowOf, settled as settledPage } from '../support/browser.ts'
import { setUp, type Person } from '../support/people.ts'
import { startProduct, type Product } from '../support/product.ts'
import { openSecureFront, type SecureFront } from '../support/secure-front.ts'
import { choose } from '../support/steps.ts'

const bench = openToolFolder()
const children: ChildProcess[] = []
let dns: LittleNameServer
let web: WebServer
let front: SecureFront
let product: Product
let ada: Person
let knotPort = 0
const secret = randomBytes(32).toString('base64')

const start = (program: string, args: readonly string[], env: Record<string, string> = {}): void =>
  void children.push(spawn(program, args, { env: { ...process.env, ...env }, stdio: 'ignore', cwd: bench.folder }))

/** A primary name server of example.org that takes updates signed by one key. */
async function startKnot(): Promise<void> {
  knotPort = await freePort()
  const storage = bench.path('knot')
  mkdirSync(`${storage}/run`, { recursive: true })
  bench.write('knot/example.org.zone', '$ORIGIN example.org.\n@ 60 SOA ns admin 1 60 60 60 60\n@ 60 NS ns\nns 60 A 127.0.0.1\n')
  const config = bench.write(
    'knot.conf',
    `server:
    rundir: ${storage}/run
    listen: 127.0.0.1@${knotPort}
database:
    storage: ${storage}
key:
  - id: acme-key
    algorithm: hmac-sha256
    secret: ${secret}
acl:
  - id: updates
    key: acme-key
    action: update
zone:
  - domain: example.org
    storage: ${storage}
    file: example.org.zone
    zonefile-sync: -1
    journal-content: all
    acl: updates
`,
  )
  start('knotd', ['-c', config])
  await until(
    `knot at port ${knotPort}`,
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(knotPort, '127.0.0.1', () => {
          socket.destroy()
          resolve(true)
        })
        socket.on('error', () => resolve(false))
      }),
    { every: 100 },
  )
}

/** Answers where its directory is. `nameServer`: whom it asks for names. */
async function startPebble(name: string, nameServer: string): Promise<string> {
  const [port, managementPort] = [await freePort(), await freePort()]
  const config = bench.write(
    `${name}.json`,
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${managementPort}`,
        certificate: bench.path('front.pem'),
        privateKey: bench.path('front.key'),
        httpPort: web.port,
        tlsPort: 443,
        externalAccountBindingRequired: false,
      },
    }),
  )
  start('pebble', ['-config', config, '-dnsserver', nameServer], {
    PEBBLE_VA_NOSLEEP: '1',
    PEBBLE_WFE_NONCEREJECT: '50',
    PEBBLE_AUTHZREUSE: '0',
  })
  const ca = bench.read('front-root.pem')
  await until(
    `pebble at port ${port}`,
    () =>
      new Promise<boolean>((resolve) => {
        const asked = request(`https://localhost:${port}/dir`, { ca }, (answer) => {
          answer.resume()
          resolve(answer.statusCode === 200)
        })
        asked.on('error', () => resolve(false))
        asked.end()
      }),
    { every: 100 },
  )
  return `https://localhost:${port}/dir`
}

const addAuthority = async (name: string, directoryUrl: string): Promise<string> => {
  const roots = bench.read('front-root.pem').toString()
  await ada.call(ordering.calls.checkDirectory, { directoryUrl, roots })
  return (await ada.call(ordering.calls.addAuthority, { name, directoryUrl, roots, contact: ['ada@example.org'], agreed: true })).id
}

beforeAll(async () => {
  dns = await openNameServer({ localhost: [{ type: 'A', value: '127.0.0.1' }] })
  web = await openWebServer()
  front = await openSecureFront(bench)
  product = await startProduct({
    CHANCERY_ORIGIN: front.origin,
    CHANCERY_TRUST_PROXY: '127.0.0.1',
    CHANCERY_NAME_SERVERS: dns.address,
    CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
    CHANCERY_OUTWARD_PORTS: '1024-65535',
  })
  front.leadTo(product.origin)
  ada = (await setUp(product, 'ada', { organisation: 'Northwind', rootName: 'Northwind Root', issuingName: 'Northwind Issuing' }))
    .administrator
  await startKnot()
})
afterAll(async () => {
  for (const child of children) child.kill()
  await product?.stop()
  await front?.close()
  await web?.close()
  await dns?.close()
  bench.remove()
})

/** An order that pebble refused a nonce goes on after a pause, several times over. */
const slow = { timeout: 600_000, interval: 1_000 }

async function settled(id: string) {
  const read = () => ada.call(ordering.calls.order, { id })
  await expect
    .poll(read, slow)
    .toSatisfy(({ step, runs, problem }: Awaited<ReturnType<typeof read>>) => step === 'done' || (!runs && problem !== undefined))
  return read()
}

/** The web server of the names forwards challenges to us, as a person sets it up once. */
const forwardChallenges = (forwardTo: string): void => {
  web.answer = (path) => {
    const token = /^\/\.well-known\/acme-challenge\/(.+)$/.exec(path)?.[1]
    return token === undefined ? undefined : { status: 302, headers: { location: forwardTo + token }, body: '' }
  }
}

test('an authority is added and a certificate ordered from it by the screen', async () => {
  const directoryUrl = await startPebble('pebble-screen', dns.address)
  dns.names.set('screen.pebble.example', [{ type: 'A', value: '127.0.0.1' }])
  const browser = await openBrowser()
  try {
    const { page, complaints } = await openWindowOf(browser, front.origin, ada)
    await page.goto('/config/acme/authority/new')
    await settledPage(page)
    await page.getByRole('textbox', { name: 'Name', exact: false }).first().fill('Pebble')
    await page.getByRole('textbox', { name: /^Directory/ }).fill(directoryUrl)
    await page.getByRole('button', { name: /^Chain and trust/ }).click()
    await page.getByRole('textbox', { name: /^Roots of its web server/ }).fill(bench.read('front-root.pem').toString())
    await page.getByRole('button', { name: 'Read directory' }).click()
    await page.getByText('The directory answers').waitFor()
    await page.getByRole('checkbox', { name: 'I agree to the terms of service of this authority' }).check()
    await page.getByRole('button', { name: 'Add authority' }).click()
    await page.getByRole('link', { name: 'Pebble' }).waitFor()
    await page.goto('/credentials/certificates/le/new')
    await choose(page, 'Authority', 'Pebble')
    await page
      .getByLabel(/^Names/)
      .first()
      .fill('screen.pebble.example')
    await page.getByRole('radio', { name: /The web server of the name forwards to this server/ }).check()
    const gate = Promise.withResolvers<void>()
    web.gate = gate.promise
    await page.getByRole('button', { name: 'Order certificate' }).click()
    await page.waitForURL('**/credentials/certificates/le/order/*')
    const { forwardTo = '' } = await ada.call(ordering.calls.order, { id: page.url().split('/').at(-1) ?? '' })
    forwardChallenges(forwardTo)
    gate.resolve()
    await page.getByRole('link', { name: 'View certificate' }).click()
    await page.getByRole('heading', { level: 1, name: 'screen.pebble.example' }).waitFor()
    expect(complaints).toEqual([])
  } finally {
    await browser.close()
  }
})

const wanted = 100

test('of a hundred orders a hundred are obtained where every second nonce is refused', { timeout: 900_000 }, async () => {
  const authorityId = await addAuthority('pebble', await startPebble('pebble', dns.address))
  const order = async (name: string) => {
    dns.names.set(name, [{ type: 'A', value: '127.0.0.1' }])
    const { id } = await ada.call(ordering.calls.start, { authorityId, names: [name], proof: 'forward', keyKind: 'P-256' })
    return id
  }
  const first = await order('n0.pebble.example')
  const { forwardTo = '' } = await ada.call(ordering.calls.order, { id: first })
  forwardChallenges(forwardTo)
  const ids = [first]
  let next = 1
  const outcomes: string[] = []
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (next < wanted) {
        const id = await order(`n${next++}.pebble.example`)
        ids.push(id)
        const { step, problem } = await settled(id)
        outcomes.push(problem?.detail ?? step)
      }
    }),
  )
  outcomes.push((await settled(first)).step)
  expect(outcomes.filter((outcome) => outcome !== 'done')).toEqual([])
  expect(outcomes.length).toBe(wanted)
  const { total } = await ada.call(certificates.calls.search, { text: 'pebble.example', source: ['acme'] })
  expect(total).toBe(wanted)
})

test('dns-01 and a wildcard are proven by signed updates of a real name server, which has nothing of them afterwards', async () => {
  const authorityId = await addAuthority('pebble by DNS', await startPebble('pebble-dns', `127.0.0.1:${knotPort}`))
  const settings = { kind: 'rfc2136', server: `127.0.0.1:${knotPort}`, zone: 'example.org', keyName: 'acme-key' } as const
  const { id: responderId } = await ada.call(ordering.calls.addResponder, { name: 'knot', settings, secret, waitSeconds: 0 })
  expect(await ada.call(ordering.calls.tryResponder, { id: responderId, name: 'www.example.org' })).toMatchObject({ ok: true })
  const { id: wrong } = await ada.call(ordering.calls.addResponder, {
    name: 'knot with another secret',
    settings,
    secret: randomBytes(32).toString('base64'),
    waitSeconds: 0,
  })
  expect(await ada.call(ordering.calls.tryResponder, { id: wrong, name: 'www.example.org' })).toMatchObject({
    ok: false,
    says: expect.stringContaining('the secret of the key does not fit'),
  })
  const { id: outside } = await ada.call(ordering.calls.addResponder, {
    name: 'knot of another zone',
    settings: { ...settings, zone: 'example.net' },
    secret,
    waitSeconds: 0,
  })
  expect((await ada.call(ordering.calls.tryResponder, { id: outside, name: 'www.example.net' })).says).toMatch(/NOTAUTH|REFUSED/)
  const { id } = await ada.call(ordering.calls.start, {
    authorityId,
    names: ['example.org', '*.example.org'],
    proof: 'responder',
    responderId,
    keyKind: 'RSA-2048',
  })
  const order = await settled(id)
  expect([order.step, order.problem]).toEqual(['done', undefined])
})
