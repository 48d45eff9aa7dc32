// The agent's door for the console, and its way to the server and back to it.

import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { linkIdentity } from '#core/agent-link/identity.ts'
import { listenForAgents, type AgentLink } from '#core/agent-link/server.ts'
import { sealWith } from '#core/server/installation-key.ts'
import { startWithReaders } from './built-in.ts'
import { openDoor, type DoorOptions } from './door.ts'
import { openMemory } from './memory.ts'

// Nothing listens there: only who never was connected asks.
const origin = 'https://localhost:2'
const identity = linkIdentity(sealWith(Buffer.alloc(32, 5)), new Date())
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function openServer(port = 0) {
  const links: AgentLink[] = []
  const server = await listenForAgents({
    identity,
    host: '127.0.0.1',
    port,
    accept(link) {
      links.push(link)
      const { ticket, secret } = link.hello
      if (ticket === 'bad') return link.close('The ticket is over')
      const person = ticket !== '' || secret !== '' ? 'Ada Lovelace' : ''
      link.tell({
        welcome: { agentId: person, person, tenancy: '', secret: person === '' ? '' : 'kept', code: person === '' ? 'ABCD-EFGH' : '' },
      })
    },
    changed: () => {},
    ended: () => {},
  })
  closing.push(() => server.close())
  return { ...server, links }
}

async function openAgent(folder = mkdtempSync(join(tmpdir(), 'chancery-agent-')), port = 0, at = origin) {
  const said: string[] = []
  const agent = await startWithReaders({
    version: '1.2.3',
    origin: at,
    folder,
    port,
    virtual: true,
    pcsc: false,
    say: (sentence) => void said.push(sentence),
  })
  closing.push(() => rmSync(folder, { recursive: true, force: true }), agent.close)
  return { ...agent, said, folder }
}

type Asked = { method?: string; path: string; headers?: Record<string, string>; body?: unknown }

const ask = (port: number, { method = 'GET', path, headers = {}, body }: Asked) =>
  new Promise<{ status: number; text: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString(), headers: response.headers }),
      )
    })
    asking.on('error', reject)
    asking.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** A door with nothing behind it. */
const quiet: Omit<DoorOptions, 'ports'> = {
  version: '1',
  origin,
  user: undefined,
  state: () => ({
    origin,
    driver: '',
    link: { person: '', code: '', why: '' },
    readers: [],
    printers: [],
    activity: '',
    diagnosis: [],
    trouble: '',
  }),
  looked: () => {},
  connect: async () => {},
  killSession: () => {},
}

const json = { origin, 'content-type': 'application/json' }
const config = (port: number, pin = identity.pin) => ({ AgentAddress: '127.0.0.1', AgentPort: port, ServerKey: pin })

test.each<[string, Asked, number]>([
  ['its version to the console', { path: '/version', headers: { origin } }, 200],
  ['its version to no page', { path: '/version' }, 200],
  ['nothing to another page', { path: '/version', headers: { origin: 'https://evil.example' } }, 403],
  ['nothing to a page without an origin', { path: '/version', headers: { origin: 'null' } }, 403],
  ['nothing to a name that was made to lead here', { path: '/version', headers: { host: 'evil.example:8477' } }, 421],
  ['no order without an origin', { method: 'POST', path: '/connect', headers: { 'content-type': 'application/json' }, body: {} }, 403],
  ['no order of another page', { method: 'POST', path: '/KillSession', headers: { origin: 'http://localhost:2' } }, 403],
  ['no form', { method: 'POST', path: '/connect', headers: { origin, 'content-type': 'text/plain' }, body: {} }, 415],
  ['no order without a session', { method: 'POST', path: '/connect', headers: json, body: {} }, 400],
  ['no order before it knows a server', { method: 'POST', path: '/connect', headers: json, body: { SessionCookie: 'x' } }, 409],
  ['nothing else', { path: '/cards', headers: { origin } }, 404],
])('the door gives %s', async (_what, asked, status) => {
  const agent = await openAgent()
  expect((await ask(agent.port, asked)).status).toBe(status)
})

test('the door answers what Chrome asks before a page reaches this machine, for the console alone', async () => {
  const agent = await openAgent()
  const preflight = (from: string) =>
    ask(agent.port, {
      method: 'OPTIONS',
      path: '/connect',
      headers: { origin: from, 'access-control-request-method': 'POST', 'access-control-request-private-network': 'true' },
    })
  expect((await preflight(origin)).headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-private-network': 'true',
  })
  expect((await preflight('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined()
})

test('joined by a ticket it says who drives the cards, shows its reader, and keeps no ticket', async () => {
  const server = await openServer()
  const agent = await openAgent()
  const connect = (body: unknown) => ask(agent.port, { method: 'POST', path: '/connect', headers: json, body })
  expect((await connect({ SessionCookie: 'one-ticket', GRPCConfig: config(server.port) })).status).toBe(200)
  expect(agent.state().link.person).toBe('Ada Lovelace')
  expect(server.links[0]?.readers()).toMatchObject([
    { name: 'Virtual reader', isVirtual: true },
    { name: 'Virtual reader 2', isVirtual: true },
  ])
  const page = await ask(agent.port, { path: '/' })
  expect(page.text).toContain('Ada Lovelace drives the cards')
  expect(page.text).toContain('Virtual reader (software)')
  expect(page.text).toContain('Virtual card printer (software)')
  const german = await ask(agent.port, { path: '/', headers: { 'accept-language': 'fr, de-AT;q=0.8, en;q=0.5' } })
  expect(german.text).toContain('<html lang="de">')
  expect(german.text).toContain('Ada Lovelace steuert die Karten')
  await expect.poll(() => readFileSync(join(agent.folder, 'link.json'), 'utf8')).toContain(identity.pin)
  expect(readFileSync(join(agent.folder, 'link.json'), 'utf8')).not.toContain('one-ticket')
  await ask(agent.port, { method: 'POST', path: '/KillSession', headers: { origin } })
  expect(agent.state().link).toEqual({ person: '', code: '', why: 'Signed out' })
})

test('its page names the applet, and the step at which the work with a card ended, and no PIN', async () => {
  const server = await openServer()
  const agent = await openAgent()
  await ask(agent.port, { method: 'POST', path: '/connect', headers: json, body: { SessionCookie: 'x', GRPCConfig: config(server.port) } })
  const [link] = server.links
  const reader = link?.readers()[0]?.name ?? ''
  const question = { reader, session: 's', card: '', fence: 0, says: 'Checking the PIN (ada)', data: new Uint8Array() }
  const transmit = (command: string) => link?.ask({ ...question, act: 'transmit', data: Buffer.from(command, 'hex') })
  await link?.ask({ ...question, act: 'begin' })
  await transmit('00A404000BA000000308000010000100')
  await transmit(`00200080083738313933343036`)
  await link?.ask({ ...question, act: 'end' })
  const page = (await ask(agent.port, { path: '/' })).text
  expect(page).toContain(`applet: ${reader}: PIV (A000000308000010000100)`)
  expect(page).toContain(`step that failed: ${reader}: Checking the PIN (ada): VERIFY was answered by 63C2`)
  expect(page).not.toMatch(/78193406|3738313933343036/)
})

test('what the server refuses is said to the console, and another key is never spoken to', async () => {
  const server = await openServer()
  const agent = await openAgent()
  const connect = (body: unknown) => ask(agent.port, { method: 'POST', path: '/connect', headers: json, body })
  expect(await connect({ SessionCookie: 'bad', GRPCConfig: config(server.port) })).toMatchObject({
    status: 409,
    text: 'The ticket is over',
  })
  await connect({ SessionCookie: 'good', GRPCConfig: config(server.port) })
  const other = linkIdentity(sealWith(Buffer.alloc(32, 6)), new Date()).pin
  expect(await connect({ SessionCookie: 'good', GRPCConfig: config(server.port, other) })).toMatchObject({
    status: 409,
    text: 'The server has another key than the one that this client knows',
  })
})

test('it comes again by itself when the server comes back', async () => {
  const server = await openServer()
  const agent = await openAgent()
  await ask(agent.port, { method: 'POST', path: '/connect', headers: json, body: { SessionCookie: 'x', GRPCConfig: config(server.port) } })
  await server.close()
  await expect.poll(() => agent.state().link.person).toBe('')
  const again = await openServer(server.port)
  await expect.poll(() => agent.state().link.person).toBe('Ada Lovelace')
  expect(again.links[0]?.hello).toMatchObject({ ticket: '', secret: 'kept' })
})

test('a second person takes the place of the first, and the client does not call again for either', async () => {
  const server = await openServer()
  const agent = await openAgent()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  closing.push(() => vi.useRealTimers())
  const connect = (ticket: string) =>
    ask(agent.port, { method: 'POST', path: '/connect', headers: json, body: { SessionCookie: ticket, GRPCConfig: config(server.port) } })
  await connect('first')
  await connect('second')
  vi.advanceTimersByTime(60_000)
  expect(agent.state().link.person).toBe('Ada Lovelace')
  expect(server.links.map(({ hello }) => hello.ticket)).toEqual(['first', 'second'])
})

test('where another one has its port, one sentence says so', async () => {
  const first = await openAgent()
  await expect(openAgent(undefined, first.port)).rejects.toThrow(
    `Port ${first.port} of this machine is in use, perhaps by another security client: this one is not started.`,
  )
})

test('it takes the next of its ports where another program has the first', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  closing.push(() => other.close())
  await once(other, 'listening')
  const door = await openDoor({ ...quiet, ports: [(other.address() as AddressInfo).port, 0] })
  closing.push(door.close)
  expect((await ask(door.port, { path: '/version' })).status).toBe(200)
})

test('whoever was never connected asks its server at the address of the console, shows a code, and what to do with it', async () => {
  const server = await openServer()
  const house = createServer((asked, answer) => {
    answer.writeHead(asked.url === '/api2/CMS-v2/CMSClientGRPCConfig' ? 200 : 404).end(JSON.stringify(config(server.port)))
  }).listen(0, '127.0.0.1')
  await once(house, 'listening')
  closing.push(() => house.close())
  const agent = await openAgent(undefined, 0, `http://127.0.0.1:${(house.address() as AddressInfo).port}`)
  await expect.poll(() => agent.state().link.code).toBe('ABCD-EFGH')
  const page = async () => (await ask(agent.port, { path: '/' })).text
  expect(await page()).toMatch(/type this code there, at the card desk or on My smartcards[\s\S]*<code>ABCD-EFGH<\/code>/)
  // A server that nobody has joined yet is not the only one from then on.
  expect(existsSync(join(agent.folder, 'link.json'))).toBe(false)
  server.links[0]?.close('The code is over')
  await expect.poll(() => agent.state().link.why).toBe('The code is over')
  await page()
  await expect.poll(() => agent.state().link.code).toBe('ABCD-EFGH')
  expect(server.links.map(({ hello }) => [hello.ticket, hello.secret])).toEqual([
    ['', ''],
    ['', ''],
  ])
})

test('where its server does not answer, its page says so', async () => {
  const agent = await openAgent()
  await expect.poll(() => agent.state().link.why).toBe(`${origin} does not answer (ECONNREFUSED).`)
  expect((await ask(agent.port, { path: '/' })).text).toContain(`${origin} does not answer (ECONNREFUSED).`)
})

test('its virtual cards are two, and the same at the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-agent-'))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  const serialOf = (number: number) => openMemory(folder).virtualCard(number).state.serial
  const [first, second] = [serialOf(1), serialOf(2)]
  expect(first).not.toBe(second)
  await expect
    .poll(() => [1, 2].map((number) => existsSync(join(folder, number === 1 ? 'virtual-card.json' : 'virtual-card-2.json'))))
    .toEqual([true, true])
  expect([serialOf(1), serialOf(2)]).toEqual([first, second])
})

test('another account of the machine gives no orders, where the system tells whose a connection is', async () => {
  const door = await openDoor({ ...quiet, ports: [0], user: (process.getuid?.() ?? 0) + 1 })
  closing.push(door.close)
  const told = process.platform === 'linux' ? 403 : 200
  expect((await ask(door.port, { method: 'POST', path: '/KillSession', headers: { origin } })).status).toBe(told)
})
