// Streams over WebSocket. The first message is the input, each event goes out as the generator yields it, a normal end closes with
// 1000. The door checks what a call's door checks: origin (a browser cannot set headers here), session, permission, shape; and it looks again while the
// stream goes on, because that may be long.

import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { passesDoor } from '#core/contract/access.ts'
import { readJson } from '#standards/json/read.ts'
import type { DoorsOptions } from './doors-options.ts'
import { readFacts } from './facts.ts'
import { faultOf, wireFault, commonFault } from './fault.ts'
import type { RequestFacts, StreamBinding, Viewer } from './serve.ts'
import { isOwnOrigin } from './steps/forgery.ts'
import { parseExactly } from './steps/input.ts'

const inputWaitMilliseconds = 10_000
const pingMilliseconds = 30_000
/** How soon a change is noticed that takes the stream from its person. Where nothing has changed nothing is read. */
const checkMilliseconds = 250
/** More streams at a time than one person's windows follow. */
const mostOfOne = 50

export function acceptStreams(server: Server, { house, rooms, identify }: DoorsOptions): { close(): void } {
  const bindings = new Map(
    rooms.flatMap((room) =>
      room.streams.flatMap((binding) => {
        const { path, olderPath } = binding.stream
        return [path, ...(olderPath === undefined ? [] : [olderPath])].map((one) => [one, binding] as const)
      }),
    ),
  )
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1024 * 1024 })
  const openOf = new Map<string, number>()

  server.on('upgrade', (incoming, socket: Duplex, head) => {
    socket.on('error', () => socket.destroy())
    const facts = readFacts(incoming, house.settings)
    const refuse = (status: number, reason: string) =>
      socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    const binding = bindings.get((incoming.url ?? '/').replace(/[?#].*$/, ''))
    if (binding === undefined) return refuse(404, 'Not Found')
    const { origin } = incoming.headers
    if (origin !== undefined && !isOwnOrigin(origin, house.settings.origin, incoming.socket)) return refuse(403, 'Forbidden')
    identify(facts, house, house.now())
      .then((viewer) => {
        if (binding.stream.needs !== 'public' && viewer === undefined) return refuse(401, 'Unauthorized')
        if (viewer !== undefined && !passesDoor(viewer, binding.stream)) return refuse(403, 'Forbidden')
        if (viewer !== undefined && (openOf.get(viewer.credentialId) ?? 0) >= mostOfOne) return refuse(429, 'Too Many Requests')
        sockets.handleUpgrade(incoming, socket, head, (webSocket) => void run(webSocket, binding, viewer, facts))
      })
      .catch(() => refuse(503, 'Service Unavailable'))
  })

  async function run(socket: WebSocket, binding: StreamBinding, viewer: Viewer | undefined, facts: RequestFacts): Promise<void> {
    const ended = new AbortController()
    socket.on('close', () => ended.abort())
    socket.on('error', () => ended.abort())
    const ping = setInterval(() => socket.ping(), pingMilliseconds)
    let since = house.cache.version()
    let checking = false
    const look = setInterval(async () => {
      if (checking || house.cache.isCurrent(since)) return
      checking = true
      since = house.cache.version()
      const may = await stillMay(binding, viewer, facts)
      checking = false
      if (may || ended.signal.aborted) return
      // Nothing more is sent, although the other side may take its time to close.
      ended.abort()
      socket.close(4401, 'not_logged_in')
    }, checkMilliseconds)
    const credential = viewer?.credentialId ?? ''
    openOf.set(credential, (openOf.get(credential) ?? 0) + 1)
    try {
      const input = parseExactly(binding.stream.input, await firstMessage(socket))
      for await (const event of binding.handle(input, { viewer, now: house.now(), request: facts, house, signal: ended.signal })) {
        if (ended.signal.aborted) break
        socket.send(JSON.stringify(binding.stream.event.parse(event)))
      }
      if (!ended.signal.aborted) socket.close(1000)
    } catch (error) {
      const fault = faultOf(error)
      if (fault.status >= 500) house.log.error({ error, request: facts.id }, 'a stream failed')
      if (!ended.signal.aborted) {
        socket.send(JSON.stringify({ fault: wireFault(fault, facts.id) }))
        socket.close(4000 + (fault.status % 1000), fault.code.slice(0, 100))
      }
    } finally {
      clearInterval(ping)
      clearInterval(look)
      const left = (openOf.get(credential) ?? 1) - 1
      if (left > 0) openOf.set(credential, left)
      else openOf.delete(credential)
    }
  }

  /** Whoever signed out, works elsewhere by now or may not do this any more hears no more of it. Where nobody can tell, nobody is sent away. */
  async function stillMay({ stream }: StreamBinding, before: Viewer | undefined, facts: RequestFacts): Promise<boolean> {
    if (before === undefined) return true
    const viewer = await identify(facts, house, house.now()).catch(() => before)
    return viewer?.tenantId === before.tenantId && passesDoor(viewer, stream)
  }

  return {
    close() {
      for (const client of sockets.clients) client.close(1001)
      // Who does not answer the farewell does not keep the house open.
      setTimeout(() => sockets.clients.forEach((client) => client.terminate()), 2_000).unref()
      sockets.close()
    },
  }
}

const firstMessage = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const wait = setTimeout(() => reject(commonFault('malformed')), inputWaitMilliseconds)
    socket.once('close', () => reject(commonFault('malformed')))
    socket.once('message', (data) => {
      clearTimeout(wait)
      try {
        resolve(readJson(String(data)))
      } catch {
        reject(commonFault('malformed'))
      }
    })
  })
