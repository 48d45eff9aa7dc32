// The shortest way in, below HTTP as Node reads it: a request in its plainest form, whole in one packet, at an endpoint that answers at once, is
// answered on the connection itself. What HTTP costs besides is most of what an OCSP answer from memory costs. Whatever is unusual in any way (a header
// that is not known here, a body in two packets, TLS, a second request before the answer) is handed to Node with its connection, from the
// first byte that was not answered, and stays there: nothing is refused here, and nothing is read leniently.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { EndpointAnswer } from './serve.ts'
import type { Door } from './short-way.ts'

export type SocketWayOptions = {
  doors: readonly Door[]
  /** What the endpoint answers; undefined where the request must go the usual way. */
  ask(door: Door, rest: string, body: Buffer): EndpointAnswer | Promise<EndpointAnswer> | undefined
  answered(door: Door, status: number): void
  failed(error: unknown): void
}

export type SocketWay = { close(): void }

/** Headers that change nothing of an answer here. */
const harmless = new Set([
  'host', 'user-agent', 'accept', 'accept-encoding', 'accept-language', 'cache-control', 'pragma', 'content-type', 'content-length', 'connection', 'if-modified-since', 'if-none-match',
  'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'x-request-id', 'via',
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

    const leave = () => {
      idle.delete(socket)
      socket.off('data', hear).off('end', end).off('timeout', endIdle).off('error', ignore).off('close', leave)
    }
    const handOver = (unread: Buffer) => {
      leave()
      socket.setTimeout(0)
      socket.unshift(unread)
      for (const listener of usual) Reflect.apply(listener, server, [socket])
    }
    const end = () => {
      ended = true
      if (!busy) socket.end()
    }
    const endIdle = () => void (busy || socket.destroy())

    const hear = (packet: Buffer) => {
      if (busy) {
        early = early === undefined ? packet : Buffer.concat([early, packet])
        socket.pause()
        return
      }
      const asked = readRequest(packet)
      const answer = asked && ask(asked.door, asked.rest, asked.body)
      if (asked === undefined || answer === undefined) handOver(packet)
      else if (answer instanceof Promise) void later(asked.door, answer)
      else write(asked.door, answer)
    }

    async function later(door: Door, answer: Promise<EndpointAnswer>): Promise<void> {
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
      if (ended || closing) socket.end()
      else if (early !== undefined) {
        socket.resume()
        handOver(early)
      }
    }

    function write(door: Door, answer: EndpointAnswer): void {
      if (socket.timeout !== keepAliveMilliseconds) socket.setTimeout(keepAliveMilliseconds)
      if (!socket.write(messageOf(answer))) {
        socket.pause()
        socket.once('drain', () => socket.resume())
      }
      answered(door, answer.status ?? 200)
    }

    idle.add(socket)
    socket.setTimeout(server.headersTimeout)
    socket.on('data', hear).on('end', end).on('timeout', endIdle).on('error', ignore).on('close', leave)
  }

  /** Undefined for anything that is not as plain as can be. */
  function readRequest(packet: Buffer): { door: Door; rest: string; body: Buffer } | undefined {
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
    if (length === undefined || packet.length !== endOfHead + 4 + length || length > (door.bodyLimit ?? 0) || (length === 0) !== (door.method === 'GET') || !/^[\x21-\x7e]+$/.test(rest)) return undefined
    return { door, rest, body: length === 0 ? nothing : packet.subarray(endOfHead + 4) }
  }

  return {
    close() {
      closing = true
      for (const socket of idle) socket.destroy()
    },
  }
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

/** Head and body in one piece. An answer without bytes that are all there is an error of ours, and says no more. */
function messageOf({ status = 200, headers = {}, body }: EndpointAnswer): Buffer {
  const bytes = body instanceof Uint8Array ? body : nothing
  const head = `${statusLine[status] ?? `HTTP/1.1 ${status} `}\r\n${linesOf(headers)}Content-Length: ${bytes.length}\r\n${dateLine()}\r\n`
  const message = Buffer.allocUnsafe(head.length + bytes.length)
  message.write(head, 0, 'latin1')
  message.set(bytes, head.length)
  return message
}

const linesKnown = new WeakMap<object, string>()

/** Of headers that are the same object each time they are written out once. */
function linesOf(headers: NonNullable<EndpointAnswer['headers']>): string {
  const known = linesKnown.get(headers)
  if (known !== undefined) return known
  const lines = Object.entries({ 'x-content-type-options': 'nosniff', ...headers, connection: 'keep-alive', 'keep-alive': `timeout=${keepAliveSeconds}` })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  linesKnown.set(headers, lines)
  return lines
}

let dated = { second: 0, line: '' }

/** The clock of the machine, as Node writes it: it says when the message was sent (RFC 9110 6.6.1). */
function dateLine(): string {
  const second = Math.floor(Date.now() / 1000)
  if (dated.second !== second) dated = { second, line: `Date: ${new Date(second * 1000).toUTCString()}\r\n` }
  return dated.line
}
