// Both ends of the link over real TLS and HTTP/2, with a virtual card behind.

import { readFileSync } from 'node:fs'
import { connect, createSecureServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { sealWith } from '#core/server/installation-key.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { openVirtualCard } from '#standards/piv/card/card.ts'
import { blankCard } from '#standards/piv/card/state.ts'
import { openClientLink, wrongKey } from './client.ts'
import { contentType, frame, linkPath } from './frames.ts'
import { linkIdentity } from './identity.ts'
import { fromAgent, fromAgentTable, messageTables, readersTable, toAgentTable, type Hello, type ToAgent } from './messages.ts'
import { decodeMessage, encodeMessage, ProtobufError, type MessageTable } from './protobuf.ts'
import { hostReaders } from './reader-host.ts'
import { listenForAgents, type AgentLink, type LinkServer } from './server.ts'
import { virtualReaders } from './virtual-readers.ts'

const identity = linkIdentity(sealWith(Buffer.alloc(32, 5)), new Date())
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function openServer(accept: (link: AgentLink) => void = () => {}) {
  const links: AgentLink[] = []
  const ended: AgentLink[] = []
  const server: LinkServer = await listenForAgents({
    identity,
    host: '127.0.0.1',
    port: 0,
    accept(link) {
      links.push(link)
      accept(link)
    },
    changed: () => {},
    ended: (link) => void ended.push(link),
  })
  closing.push(() => server.close())
  return { ...server, links, ended }
}

const hello: Hello = { version: '1', machine: 'desk', ticket: 't', secret: '' }

function openAgent(port: number, pin = identity.pin) {
  const source = virtualReaders(['Desk reader'])
  source.insert('Desk reader', openVirtualCard(blankCard({ serial: 7 })))
  const host = hostReaders(source)
  const heard: ToAgent[] = []
  let resolveEnd: (why: string | undefined) => void = () => {}
  const end = new Promise<string | undefined>((resolve) => (resolveEnd = resolve))
  const link = openClientLink({
    address: '127.0.0.1',
    port,
    pin,
    hello,
    readers: source.list(),
    heard(message, client) {
      heard.push(message)
      if (message.ask !== undefined) void host.answer(message.ask).then((answer) => client.tell({ answer }))
    },
    ended: (why) => resolveEnd(why),
  })
  const stop = source.watch(() => link.tell({ readers: { readers: [...source.list()] } }))
  closing.push(stop, link.close)
  return { source, heard, end, link }
}

async function linked() {
  const server = await openServer()
  const agent = openAgent(server.port)
  await expect.poll(() => server.links.length).toBe(1)
  const [link] = server.links
  if (link === undefined) throw new Error('There is no link')
  return { server, agent, link }
}

const question = { reader: 'Desk reader', session: 's1', fence: 0, card: '', says: '', data: new Uint8Array() }
const select = Buffer.from('00a404000ba000000308000010000100', 'hex')
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('an agent says who it is and which readers it has, and carries commands', async () => {
  const { link } = await linked()
  expect(link.hello).toEqual(hello)
  expect(link.readers().map(({ name, isVirtual }) => ({ name, isVirtual }))).toEqual([{ name: 'Desk reader', isVirtual: true }])
  await link.ask({ ...question, act: 'begin' })
  expect(hexOf(await link.ask({ ...question, act: 'transmit', data: select })).endsWith('9000')).toBe(true)
  await link.ask({ ...question, act: 'end' })
  await expect(link.ask({ ...question, act: 'transmit', data: select })).rejects.toThrow('has ended')
})

test('an operation that was overtaken does not reach the card', async () => {
  const { link } = await linked()
  await link.ask({ ...question, act: 'begin', card: '7', fence: 5 })
  await expect(link.ask({ ...question, act: 'transmit', card: '7', fence: 4, data: select })).rejects.toMatchObject({ code: 'stale' })
})

test('a second transaction waits for the first', async () => {
  const { link } = await linked()
  await link.ask({ ...question, act: 'begin' })
  const second = link.ask({ ...question, act: 'begin', session: 's2' })
  await link.ask({ ...question, act: 'transmit', data: select })
  await link.ask({ ...question, act: 'end' })
  await second
  expect(hexOf(await link.ask({ ...question, act: 'transmit', session: 's2', data: select })).endsWith('9000')).toBe(true)
})

test('a card that is taken out is gone, and the list says so', async () => {
  const { link, agent } = await linked()
  await link.ask({ ...question, act: 'begin' })
  agent.source.insert('Desk reader', undefined)
  await expect(link.ask({ ...question, act: 'transmit', data: select })).rejects.toMatchObject({ code: 'gone' })
  await expect.poll(() => link.readers()[0]?.atr.length).toBe(0)
})

test('what was asked of an agent that goes is answered: it is gone', async () => {
  const { link, agent, server } = await linked()
  await link.ask({ ...question, act: 'begin' })
  const refused = link.ask({ ...question, act: 'begin', session: 's2' }).then(
    () => 'answered',
    (error: unknown) => Object(error).code,
  )
  agent.link.close()
  expect(await refused).toBe('gone')
  await expect.poll(() => server.ended).toEqual([link])
})

test('a server with another key hears nothing', async () => {
  const server = await openServer()
  const agent = openAgent(server.port, linkIdentity(sealWith(Buffer.alloc(32, 6)), new Date()).pin)
  expect(await agent.end).toBe(wrongKey)
  expect(server.links).toEqual([])
})

test('an agent that is sent away hears why', async () => {
  const server = await openServer((link) => link.close('The ticket is over'))
  const agent = openAgent(server.port)
  expect(await agent.end).toBe('The ticket is over')
  expect(agent.heard.map(({ refused }) => refused)).toEqual(['The ticket is over'])
})

test('an agent stays while the server pings, though no card is used, and leaves a server that is silent', async () => {
  const server = createSecureServer({
    key: identity.key.export({ format: 'pem', type: 'pkcs8' }),
    cert: encodePem('CERTIFICATE', identity.certificate),
  })
  const come = new Promise<ServerHttp2Session>((resolve) => server.once('session', resolve))
  server.on('stream', (stream) => stream.on('error', () => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  closing.push(() => vi.useRealTimers())
  const agent = openAgent((server.address() as AddressInfo).port)
  const session = await come
  const ping = () => new Promise<void>((resolve) => session.ping(() => resolve()))
  for (let minutes = 0; minutes < 5; minutes += 1) {
    await ping()
    vi.advanceTimersByTime(60_000)
  }
  await ping()
  expect(session.destroyed).toBe(false)
  vi.advanceTimersByTime(90_000)
  expect(await agent.end).toBe('The server is silent')
})

/** Opens a link as an agent does that keeps its half open and says `bytes`. */
function openRaw(port: number, bytes: Uint8Array) {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  closing.push(() => session.destroy())
  const stream = session.request({ ':method': 'POST', ':path': linkPath, 'content-type': contentType }, { endStream: false })
  stream.on('error', () => {})
  stream.write(bytes)
  stream.resume()
  const trailers = new Promise<unknown>((resolve) => stream.once('trailers', (all) => resolve(all['grpc-message'])))
  const closed = new Promise<boolean>((resolve) => stream.once('close', () => resolve(true)))
  return { session, trailers, closed }
}

test('a refused agent that keeps its half of the stream open loses it', async () => {
  const server = await openServer((link) => link.close('No'))
  const raw = openRaw(server.port, frame(fromAgent.encode({ hello })))
  expect(await raw.trailers).toBe('No')
  expect(await raw.closed).toBe(true)
  await expect.poll(() => server.ended.length).toBe(1)
  expect(raw.session.remoteSettings.maxConcurrentStreams).toBe(1)
})

test('an agent that nobody has welcomed says little', async () => {
  const server = await openServer()
  const raw = openRaw(server.port, frame(new Uint8Array(4_097)))
  expect(await raw.trailers).toBe(encodeURIComponent('A message is too long'))
  expect(await raw.closed).toBe(true)
  expect(server.links).toEqual([])
})

test('the key of the server is the same at each start, and another for each installation', () => {
  const again = linkIdentity(sealWith(Buffer.alloc(32, 5)), new Date(0))
  expect(again.pin).toBe(identity.pin)
  expect(linkIdentity(sealWith(Buffer.alloc(32, 6)), new Date()).pin).not.toBe(identity.pin)
})

const proto = readFileSync(new URL('./agent.proto', import.meta.url), 'utf8')

test.each<[string, MessageTable]>([
  ...Object.entries(messageTables),
  ['Readers', readersTable],
  ['FromAgent', fromAgentTable],
  ['ToAgent', toAgentTable],
])('the message %s has the fields of agent.proto', (name, table) => {
  const [, body = ''] = new RegExp(`message ${name} \\{([^}]*)\\}`).exec(proto) ?? []
  const written = [...body.matchAll(/^\s*(?:repeated )?(\w+) (\w+) = (\d+);/gm)].map(([, type, field = '', number]) => [
    field.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    Number(number),
    type,
  ])
  const anyType: unknown = expect.stringMatching(/^[A-Z]/)
  const types: Record<string, string> = { text: 'string', bytes: 'bytes', number: 'uint64', flag: 'bool' }
  const meant = Object.entries(table).map(([field, [number, kind]]) => [field, number, typeof kind === 'string' ? types[kind] : anyType])
  expect(written).toEqual(meant)
})

test('messages are those of Protocol Buffers', () => {
  // The example of the encoding's own documentation: field 1 is 150; field 2 is "testing".
  const table = { a: [1, 'number'], b: [2, 'text'] } as const satisfies MessageTable
  expect(hexOf(encodeMessage(table, { a: 150, b: 'testing' }))).toBe('089601120774657374696e67')
  expect(decodeMessage(table, Buffer.from('089601120774657374696e67', 'hex'))).toEqual({ a: 150, b: 'testing' })
  expect(decodeMessage(table, Buffer.from('1a017808012500000000', 'hex'))).toEqual({ a: 1, b: '' })
  expect(() => decodeMessage(table, Buffer.from('12ff', 'hex'))).toThrow(ProtobufError)
  expect(() => decodeMessage(table, Buffer.from('ff', 'hex'))).toThrow(ProtobufError)
})
