// kill -9 of the server in the middle of finalisation, at a moment of chance: an order has one certificate or none, never two, and none is lost for good.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { acme } from '#areas/acme/contract.ts'
import { acmeClient, derOf, openWebServer, proveByFile, type WebServer } from '#areas/acme/server/client.fixture.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { openNameServer, type LittleNameServer } from '#core/server/outward/dns.fixture.ts'
import { openCrashServer, type CrashServer } from '#core/testing/crash-server.ts'
import { setUpSite, type CrashSite } from '#core/testing/crash-site.ts'
import { openToolFolder } from '#standards/tool-folder.fixture.ts'

const tools = openToolFolder()
/** The queue gives up what a dead server was at after a minute or two. */
const slow = { timeout: 300_000, interval: 200 }
let dns: LittleNameServer
let web: WebServer
let server: CrashServer
let site: CrashSite

beforeAll(async () => {
  dns = await openNameServer({})
  web = await openWebServer()
  Object.assign(process.env, {
    CHANCERY_NAME_SERVERS: dns.address,
    CHANCERY_OUTWARD_ALLOW: '127.0.0.1',
    CHANCERY_OUTWARD_PORTS: '1024-65535',
  })
  server = await openCrashServer()
  site = await setUpSite(server)
})
afterAll(async () => {
  await server?.remove()
  await web?.close()
  await dns?.close()
  tools.remove()
})

const csrOf = (name: string): string => {
  tools.run('openssl', 'req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', '/', '-addext', `subjectAltName=DNS:${name}`) // prettier-ignore
  return derOf(tools.read(`${name}.csr`).toString())
}

test('an order that was being finalised has exactly one certificate once the server is back', async () => {
  const { url } = await site.requester.call(acme.calls.addDirectory, {
    name: 'Crash',
    profiles: [{ name: 'default', templateId: site.templateIds.direct }],
    eabRequired: false,
    httpPort: web.port,
  })
  const client = await acmeClient((path, init) => fetch(server.origin + path, init), url)
  await client.register()
  const counts: number[] = []
  for (const [round, delay] of [0, 2, 5, 10, 20, 40, 80, 160].entries()) {
    const name = `crash${round}.example.org`
    dns.names.set(name, [{ type: 'A', value: '127.0.0.1' }])
    const order = await client.order([name])
    const ready = await proveByFile(client, web, order)
    const csr = csrOf(name)
    const location = order.headers.get('location') ?? ''
    const finalising = client.post(ready.body.finalize, { csr }).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, delay))
    await server.kill('server')
    await finalising
    await server.start()
    // A nonce of the dead server is refused, and the client asks for another.
    const stateOf = async () => {
      const { body } = await client.ask(location)
      if (body.status === 'ready') await client.post(ready.body.finalize, { csr })
      return [name, body.status]
    }
    await expect.poll(stateOf, slow).toEqual([name, 'valid'])
    const { certificate } = (await client.ask(location)).body
    expect((await client.ask(certificate)).text).toContain('BEGIN CERTIFICATE')
    counts.push((await site.requester.call(certificates.calls.search, { text: name })).total)
  }
  expect(counts).toEqual(counts.map(() => 1))
})
