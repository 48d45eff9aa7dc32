// The shortest way in, below HTTP as Node reads it: a request in its plainest form, whole in one packet, at an endpoint that answers at once, is
// answered on the connection itself. What HTTP costs besides is most of what an OCSP answer from memory costs. Whatever is unusual in any way (a header
// that is not known here, a body in two packets, TLS, a second request before the answer) is handed to Node with its connection, from the
// first byte that was not answered, and stays there: nothing is refused here, and nothing is read leniently.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { QuickDoor } from './quick-door.ts'
import type { ShortAnswer } from './serve.ts'

export type SocketWayOptions = {
  doors: readonly QuickDoor[]
  /** What the endpoint answers; undefined where the request must go the usual way. */
  ask(door: QuickDoor, rest: string, body: Buffer): ShortAnswer | Promise<ShortAnswer> | undefined
  answered(door: QuickDoor, status: number): void
  failed(error: unknown): void
}

export type SocketWay = { close(): void }

/** Headers that change nothing of an answer here. */
const harmless = new Set([
  'host',
  'user-agent',
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'pragma',
  'content-type',
  'content-length',
  'connection',
  'if-modified-since',
  'if-none-match',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
  'via',
])
const longestHead = 2_048
const headsKnown = 500
const version = ' HTTP/1.1'
/** As Node's, and a second more until the connection is closed. */
const keepAliveSeconds = 5
const keepAliveMilliseconds = (keepAliveSeconds + 1) * 1000
const nothing = Buffer.alloc(0)

/** Takes the connections of this server before it does. */
export function openSocketWay(server: Server, { doors, ask, answered, failed }: SocketWayOptions): SocketWay {
  const usual = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', begin)
  const idle = new Set<Socket>()
  const out = openOutbox()
  let closing = false
  /** The length of the body by the text of the headers: a client's are the same each time. */
  const lengths = new Map<string, number | undefined>()

  function lengthBy(headers: string): number | undefined {
    if (lengths.has(headers)) return lengths.get(headers)
    if (lengths.size >= headsKnown) lengths.clear()
    const length = readHeaders(headers)
    lengths.set(headers, length)
    return length
  }

  function begin(socket: Socket): void {
    let busy = false
    let ended = false
    let early: Buffer | undefined
    let before: KnownHead | undefined
    /** The answer is written and not sent yet. */
    let answering = false

    const leave = () => {
      idle.delete(socket)
      socket.off('data', hear).off('end', end).off('timeout', endIdle).off('error', ignore).off('close', leave)
    }
    const handOver = (unread: Buffer) => {
      out.flush()
      leave()
      socket.setTimeout(0)
      socket.unshift(unread)
      for (const listener of usual) Reflect.apply(listener, server, [socket])
    }
    const end = () => {
      ended = true
      out.flush()
      if (!busy) socket.end()
    }
    const endIdle = () => void (busy || socket.destroy())

    const hear = (packet: Buffer) => {
      if (answering) out.flush()
      if (busy) {
        early = early === undefined ? packet : Buffer.concat([early, packet])
        socket.pause()
        return
      }
      const again = before && readAgain(packet, before)
      const asked = again ?? readRequest(packet)
      // A client that asks again and again says the same before each body.
      if (again === undefined && asked !== undefined && asked.body.length > 0) before = headBefore(packet, asked)
      const answer = asked && ask(asked.door, asked.rest, asked.body)
      if (asked === undefined || answer === undefined) handOver(packet)
      else if (answer instanceof Promise) void later(asked.door, answer)
      else write(asked.door, answer)
    }

    async function later(door: QuickDoor, answer: Promise<ShortAnswer>): Promise<void> {
      busy = true
      idle.delete(socket)
      try {
        write(door, await answer)
      } catch (error) {
        failed(error)
        socket.destroy()
      }
      busy = false
      if (socket.destroyed) return
      idle.add(socket)
      if (ended || closing) {
        out.flush()
        socket.end()
      } else if (early !== undefined) {
        socket.resume()
        handOver(early)
      }
    }

    function write(door: QuickDoor, answer: ShortAnswer): void {
      if (socket.timeout !== keepAliveMilliseconds) socket.setTimeout(keepAliveMilliseconds)
      answering = true
      out.add(answer, send)
      answered(door, answer.status ?? 200)
    }

    const send = (message: Buffer): boolean => {
      answering = false
      if (socket.destroyed) return true
      // Who does not read what came before holds on to the memory of one answer, not of each.
      const behind = socket.writableLength > 0
      if (!socket.write(behind ? Buffer.from(message) : message)) {
        socket.pause()
        socket.once('drain', () => socket.resume())
      }
      return behind || socket.writableLength === 0
    }

    idle.add(socket)
    socket.setTimeout(server.headersTimeout)
    socket.on('data', hear).on('end', end).on('timeout', endIdle).on('error', ignore).on('close', leave)
  }

  /** Undefined for anything that is not as plain as can be. */
  function readRequest(packet: Buffer): Asked | undefined {
    const endOfHead = packet.indexOf('\r\n\r\n')
    if (endOfHead === -1 || endOfHead > longestHead) return undefined
    const head = packet.toString('latin1', 0, endOfHead)
    const endOfLine = head.indexOf('\r\n')
    const endOfPath = endOfLine - version.length
    if (endOfPath < 0 || !head.startsWith(version, endOfPath)) return undefined
    const door = doors.find(({ line }) => head.startsWith(line))
    if (door === undefined) return undefined
    const rest = head.slice(door.line.length, endOfPath)
    const length = lengthBy(head.slice(endOfLine + 2))
    if (
      length === undefined ||
      packet.length !== endOfHead + 4 + length ||
      length > (door.bodyLimit ?? 0) ||
      (length === 0) !== (door.method === 'GET') ||
      !/^[\x21-\x7e]+$/.test(rest)
    )
      return undefined
    return { door, rest, body: length === 0 ? nothing : packet.subarray(endOfHead + 4) }
  }

  return {
    close() {
      closing = true
      out.flush()
      for (const socket of idle) socket.destroy()
    },
  }
}

type Asked = { door: QuickDoor; rest: string; body: Buffer }
/** What stood before a body, byte for byte, and what was read from it. */
type KnownHead = { bytes: Buffer; door: QuickDoor; rest: string; length: number }

const headBefore = (packet: Buffer, { door, rest, body: { length } }: Asked): KnownHead => ({
  bytes: Buffer.from(packet.subarray(0, packet.length - length)),
  door,
  rest,
  length,
})

function readAgain(packet: Buffer, { bytes, door, rest, length }: KnownHead): Asked | undefined {
  const head = bytes.length
  return packet.length === head + length && packet.compare(bytes, 0, head, 0, head) === 0
    ? { door, rest, body: packet.subarray(head) }
    : undefined
}

const ignore = (): void => {}

/** The length of the body; undefined where there is anything that must be looked at more closely. */
function readHeaders(text: string): number | undefined {
  const headers = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    const { name, value } = /^(?<name>[A-Za-z-]+): ?(?<value>[\x20-\x7e]*)$/.exec(line)?.groups ?? {}
    const key = name?.toLowerCase()
    if (key === undefined || value === undefined || !harmless.has(key) || headers.has(key)) return undefined
    headers.set(key, value)
  }
  const { host = '', connection = 'keep-alive', 'content-length': length = '0' } = Object.fromEntries(headers)
  if (host.trim() === '' || connection.toLowerCase() !== 'keep-alive' || !/^(?:0|[1-9][0-9]{0,5})$/.test(length)) return undefined
  return Number(length)
}

const statusLine: Readonly<Record<number, string>> = { 200: 'HTTP/1.1 200 OK' }

/** Sends a message; true if its memory is not needed any more. */
type Send = (message: Buffer) => boolean
type Outbox = { add(answer: ShortAnswer, send: Send): void; flush(): void }

/**
 * Answers to requests that came in together go out together, when all of them are written: whoever hears them is woken once and not for each, which is most of
 * what sending costs. They are written into memory that is used again as soon as all of it is sent.
 */
function openOutbox(): Outbox {
  let memory = Buffer.allocUnsafeSlow(outboxBytes)
  let filled = 0
  let waiting: { from: number; to: number; send: Send }[] = []

  function add({ status = 200, headers = noHeaders, body }: ShortAnswer, send: Send): void {
    const head = headOf(status, headers, body.length)
    const length = head.length + body.length
    if (filled + length > memory.length) {
      flush()
      if (length > memory.length) memory = Buffer.allocUnsafeSlow(length)
    }
    memory.set(head, filled)
    memory.set(body, filled + head.length)
    if (waiting.length === 0) setImmediate(flush)
    waiting.push({ from: filled, to: filled + length, send })
    filled += length
  }

  function flush(): void {
    if (waiting.length === 0) return
    const now = waiting
    waiting = []
    let sent = true
    for (const { from, to, send } of now) sent = send(memory.subarray(from, to)) && sent
    if (!sent || memory.length > outboxBytes) memory = Buffer.allocUnsafeSlow(outboxBytes)
    filled = 0
  }

  return { add, flush }
}
const outboxBytes = 64 * 1024

type Headers = NonNullable<ShortAnswer['headers']>
const noHeaders: Headers = {}
/** Of headers that are the same object each time: their lines, and by status and length of the body the whole heads of this second. */
type WrittenOut = { lines: string; heads: Map<number, Buffer>; second: number }
const writtenOut = new WeakMap<Headers, WrittenOut>()

function headOf(status: number, headers: Headers, length: number): Buffer {
  // The clock of the machine: it says when the message was sent (RFC 9110 6.6.1).
  const second = Math.floor(Date.now() / 1000)
  const known = writtenOut.get(headers)
  if (known === undefined) {
    const lines = linesOf(headers)
    writtenOut.set(headers, { lines, heads: new Map(), second })
    return writeHead(status, lines, length, second)
  }
  if (known.second !== second) {
    known.heads.clear()
    known.second = second
  }
  const key = status * longestBody + length
  const found = known.heads.get(key)
  if (found !== undefined) return found
  const head = writeHead(status, known.lines, length, second)
  if (known.heads.size < headsKnown && length < longestBody) known.heads.set(key, head)
  return head
}
const longestBody = 2 ** 32

const writeHead = (status: number, lines: string, length: number, second: number): Buffer =>
  Buffer.from(
    `${statusLine[status] ?? `HTTP/1.1 ${status} `}\r\n${lines}Content-Length: ${length}\r\nDate: ${new Date(second * 1000).toUTCString()}\r\n\r\n`,
    'latin1',
  )

const linesOf = (headers: Headers): string =>
  Object.entries({ 'x-content-type-options': 'nosniff', ...headers, connection: 'keep-alive', 'keep-alive': `timeout=${keepAliveSeconds}` })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
