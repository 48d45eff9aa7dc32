// The agent's door on loopback, for the console in a browser on the same machine: which version it is, joining a session, leaving it. Only pages of the
// configured origin are answered, only by a loopback name, and nothing here reaches a card.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod'
import { languageAsked } from '#core/server/texts.ts'
import { readJsonOrNothing } from '#standards/json/read.ts'
import { peerUser } from './peer.ts'
import type { AgentState } from './state.ts'
import { statusPage } from './status-page.ts'

export type Door = { port: number; close(): Promise<void> }
export type DoorOptions = {
  /** It takes the first that is free. */
  ports: readonly number[]
  version: string
  /** Of the console, exactly. */
  origin: string
  /** The account that gives orders, where the system tells whose a connection is. */
  user: number | undefined
  state(): AgentState
  /** Somebody looks at the page, and may want a code. */
  looked(): void
  connect(order: Connect): Promise<void>
  killSession(): void
}

export const Connect = z.object({
  SessionCookie: z.string().min(1, 'The session cookie is missing').max(4000),
  GRPCConfig: z
    .object({ AgentAddress: z.string().min(1).max(253), AgentPort: z.number().int().min(1).max(65_535), ServerKey: z.string().length(43) })
    .optional(),
})
export type Connect = z.output<typeof Connect>

/** Why a session was not joined, for the person. */
export class ConnectRefused extends Error {
  override name = 'ConnectRefused'
}

const mostBytes = 16_384
const hosts = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/

const taken = (ports: readonly number[]) =>
  `Port ${ports.join(', ')} of this machine is in use, perhaps by another security client: this one is not started.`

/** Answers whether the port was free. */
const listens = (server: Server, port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error))
    server.once('error', failed)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', failed)
      resolve(true)
    })
  })

export async function openDoor(options: DoorOptions): Promise<Door> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch(() => end(response, 500, 'The security client failed'))
  })
  server.requestTimeout = 10_000
  let isOpen = false
  for (const port of options.ports) if (!isOpen) isOpen = await listens(server, port)
  if (!isOpen) throw new Error(taken(options.ports))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const common = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

function end(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...common, 'content-type': 'text/plain; charset=utf-8', ...headers })
  response.end(text)
}

async function answer(request: IncomingMessage, response: ServerResponse, options: DoorOptions): Promise<void> {
  // A name that was made to lead here would let its page in (DNS rebinding).
  if (!hosts.test(request.headers.host ?? '')) return end(response, 421, 'Ask for 127.0.0.1')
  const { origin } = request.headers
  const path = (request.url ?? '/').replace(/[?#].*$/, '')
  if (path === '/' && request.method === 'GET' && origin === undefined) {
    options.looked()
    response.writeHead(200, { ...common, 'content-type': 'text/html; charset=utf-8', vary: 'accept-language' })
    response.end(statusPage(options.state(), options.version, languageAsked(request.headers['accept-language'])))
    return
  }
  if (origin !== undefined && origin !== options.origin)
    return end(response, 403, 'This page is not the console that the security client belongs to')
  const allowed: Record<string, string> =
    origin === undefined
      ? {}
      : {
          'access-control-allow-origin': origin,
          'access-control-allow-headers': 'content-type',
          'access-control-allow-methods': 'GET, POST',
          vary: 'origin',
        }
  // Chrome asks before a page reaches this machine; older ones by this header, newer ones ask the person.
  if (request.method === 'OPTIONS') {
    const asksNetwork = request.headers['access-control-request-private-network'] === 'true'
    if (origin === undefined) return end(response, 403, 'Who asks?')
    return end(response, 204, '', { ...allowed, ...(asksNetwork ? { 'access-control-allow-private-network': 'true' } : {}) })
  }
  if (path === '/version' && request.method === 'GET')
    return end(response, 200, JSON.stringify({ version: options.version }), { ...allowed, 'content-type': 'application/json' })
  if (request.method !== 'POST') return end(response, 404, 'There is nothing here', allowed)
  // A form of another program may send no origin; a page always does.
  if (origin === undefined) return end(response, 403, 'Only the console may ask this', allowed)
  // A program of another account could send any origin.
  const user = await peerUser(request.socket)
  if (user !== undefined && options.user !== undefined && user !== options.user)
    return end(response, 403, 'Another account of this machine asks', allowed)
  if (path === '/KillSession') {
    options.killSession()
    return end(response, 200, '{}', { ...allowed, 'content-type': 'application/json' })
  }
  if (path !== '/connect') return end(response, 404, 'There is nothing here', allowed)
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) return end(response, 415, 'Send JSON', allowed)
  const order = Connect.safeParse(await readJson(request))
  if (!order.success) return end(response, 400, order.error.issues[0]?.message ?? 'The request could not be read', allowed)
  try {
    await options.connect(order.data)
    return end(response, 200, '{}', { ...allowed, 'content-type': 'application/json' })
  } catch (error) {
    if (!(error instanceof ConnectRefused)) throw error
    return end(response, 409, error.message, allowed)
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > mostBytes) return undefined
    chunks.push(chunk)
  }
  return readJsonOrNothing(Buffer.concat(chunks))
}
