// The one port: calls, endpoints, streams and the console. A request becomes an exchange, walks its steps, and is answered here.

import { readFileSync } from 'node:fs'
import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { DoorsOptions } from './doors-options.ts'
import type { Exchange } from './exchange.ts'
import { hostPrefix, readFacts } from './facts.ts'
import { faultPage, faultPageHeaders, wantsPage } from './fault-page.ts'
import { faultOf, wireFault, commonFault, type Fault } from './fault.ts'
import type { House } from './house.ts'
import { lifeOfACall, lifeOfAnEndpoint } from './life.ts'
import { pack } from './packing.ts'
import { callHeads, isWatched, makeRouter, matcherOf, type Match } from './router.ts'
import type { EndpointAnswer, Respond } from './serve.ts'
import { openShortWay } from './short-way.ts'
import { openSocketWay } from './socket-way.ts'
import { ClientGone } from './steps/input.ts'
import { acceptStreams } from './streams.ts'
import { endOfTick } from './tick.ts'

export type Doors = { server: Server; port: number; close(): Promise<void> }

const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // For whatever a browser makes of an answer; the console's own page and assets come with theirs.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

// How often slow senders are looked for; and of the requests that offer another protocol only a stream is taken at its word: a client that
// offers HTTP/2 as well (curl --http2, Java's) is answered in HTTP/1.1.
const serverOptions = {
  connectionsCheckingInterval: 1_000,
  shouldUpgradeCallback: ({ headers }: IncomingMessage) => /^websocket$/i.test(headers.upgrade ?? ''),
}

export async function openDoors(options: DoorsOptions): Promise<Doors> {
  const { house, rooms } = options
  const { settings, log } = house
  const router = makeRouter(rooms)
  // Below /pki/ stand the doors of relying parties, who take a page for an answer: only what is a screen is one there.
  const isScreen = matcherOf(
    rooms.flatMap(({ contract }) =>
      Object.values(contract.screens)
        .map(({ path }) => path)
        .filter((path) => path.startsWith('/pki/')),
    ),
  )
  const isOfCalls = callHeads(rooms)
  const mayBeFile = (path: string): boolean => isScreen(path) || (!isOfCalls(path) && !/^\/pki(?:\/|$)/i.test(path))
  const steps = { call: lifeOfACall(options.identify), endpoint: lifeOfAnEndpoint(options.identify) }

  const answerRequest = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const began = performance.now()
    for (const [name, value] of Object.entries(safeHeaders)) outgoing.setHeader(name, value)
    if (settings.origin.startsWith('https:')) outgoing.setHeader('strict-transport-security', 'max-age=31536000')
    const exchange = beginExchange(incoming, outgoing, house)
    outgoing.setHeader('x-request-id', exchange.facts.id)
    try {
      if (exchange.url === unreadable) throw commonFault('malformed')
      const path = exchange.url.pathname
      const reading = exchange.method === 'GET' || exchange.method === 'HEAD'
      const forMachine = options.forMachines(path)
      if (forMachine !== undefined && !reading) throw wrongMethod(outgoing, ['GET', 'HEAD'])
      if (forMachine !== undefined) return await sendAnswer(exchange, await forMachine(incoming, exchange.facts), server.requestTimeout)
      const found = router(exchange.method, path)
      if (found === undefined) {
        if (reading && mayBeFile(path) && options.files(incoming, outgoing, path)) return
        throw commonFault('missing')
      }
      if ('allowed' in found) {
        // A screen and a call may share a path: a browser's GET is for the screen.
        if (exchange.method === 'GET' && mayBeFile(path) && options.files(incoming, outgoing, path)) return
        throw wrongMethod(outgoing, found.allowed)
      }
      exchange.match = found
      if (found.route.kind === 'call') await endOfTick()
      for (const step of steps[found.route.kind]) await step(exchange)
      if (found.route.kind === 'endpoint') await sendAnswer(exchange, exchange.output as EndpointAnswer, server.requestTimeout)
      else
        sendJson(
          exchange,
          found.route.kind === 'call' && found.route.binding.call.created === true ? 201 : exchange.statusCode,
          exchange.output ?? {},
        )
    } catch (error) {
      await answerFault(exchange, error, options)
    } finally {
      const seconds = (performance.now() - began) / 1000
      options.metrics.count(routeName(exchange.match), outgoing.statusCode, seconds)
      log.debug(
        { request: exchange.facts.id, method: exchange.method, route: routeName(exchange.match), status: outgoing.statusCode, seconds },
        'request',
      )
    }
  }

  const shortWay = openShortWay(options)
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (shortWay.take(incoming, outgoing, () => fromTheDoor(incoming, outgoing))) return
    fromTheDoor(incoming, outgoing)
  }
  const fromTheDoor = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    answerRequest(incoming, outgoing).catch((error: unknown) => {
      log.error({ error }, 'a request could not be answered')
      outgoing.destroy()
    })
  }
  const server: Server =
    settings.tls === undefined
      ? createPlainServer(serverOptions, listener)
      : createTlsServer(
          { ...serverOptions, cert: readFileSync(settings.tls.certificateFile), key: readFileSync(settings.tls.keyFile) },
          listener,
        )
  server.requestTimeout = 60_000
  server.headersTimeout = 20_000
  server.maxHeadersCount = 100
  const socketWay = settings.tls === undefined ? openSocketWay(server, shortWay.socketWay) : undefined
  const streams = acceptStreams(server, options)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? settings.port, settings.host, resolve)
  })
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async close() {
      streams.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        socketWay?.close()
        setTimeout(() => server.closeAllConnections(), 2_000).unref()
      })
    },
  }
}

const nowhere: Match = {
  route: { kind: 'endpoint', endpoint: { name: 'none', method: 'GET', path: '', needs: 'public', handle: async () => ({ body: '' }) } },
  params: {},
}

const routeName = ({ route }: Match): string =>
  route.kind === 'call' ? `${route.binding.call.area}.${route.binding.call.name}` : route.endpoint.name

/** A path is read as it stands: `//host/path` names no other host, and an absolute address (RFC 9112 3.2.2) counts by its path. */
const addressOf = (target: string | undefined): string => (target?.startsWith('/') === true ? `http://localhost${target}` : (target ?? ''))
const unreadable = new URL('http://localhost/')

function wrongMethod(outgoing: ServerResponse, allowed: readonly string[]): Fault {
  outgoing.setHeader('allow', allowed.join(', '))
  return commonFault('wrong_method')
}

function beginExchange(incoming: IncomingMessage, outgoing: ServerResponse, house: House): Exchange {
  const facts = readFacts(incoming, house.settings)
  const exchange: Exchange = {
    incoming,
    outgoing,
    house,
    now: house.now(),
    since: house.cache.version(),
    method: incoming.method ?? 'GET',
    url: URL.parse(addressOf(incoming.url)) ?? unreadable,
    facts,
    respond: responder(outgoing, facts.secure, (status) => (exchange.statusCode = status)),
    statusCode: 200,
    match: nowhere,
    viewer: undefined,
    scope: { tenantId: undefined, actorId: undefined, actor: 'anonymous' },
    input: undefined,
    limitTickets: [],
    output: undefined,
  }
  return exchange
}

const responder = (outgoing: ServerResponse, secure: boolean, setStatus: (status: number) => void): Respond => ({
  status: setStatus,
  header: (name, value) => void outgoing.setHeader(name, value),
  cookie: (name, value, options = {}) => {
    const bound = secure && options.httpOnly !== false && (options.path ?? '/') === '/'
    const parts = [`${bound ? hostPrefix : ''}${name}=${value}`, `Path=${options.path ?? '/'}`, 'SameSite=Lax']
    if (options.httpOnly !== false) parts.push('HttpOnly')
    if (secure) parts.push('Secure')
    if (options.maxAgeSeconds !== undefined) parts.push(`Max-Age=${Math.floor(options.maxAgeSeconds)}`)
    outgoing.appendHeader('set-cookie', parts.join('; '))
  },
})

function sendJson(exchange: Exchange, status: number, body: unknown): void {
  const { outgoing } = exchange
  const text = JSON.stringify(body)
  const { route } = exchange.match
  const packed = status === 200 && route.kind === 'call' && route.binding.call.packed === true ? pack(text, exchange.incoming) : undefined
  outgoing.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': packed?.body.length ?? Buffer.byteLength(text),
    ...packed?.headers,
  })
  outgoing.end(exchange.method === 'HEAD' ? undefined : (packed?.body ?? text))
}

/** Who takes nothing of an answer for as long as a request may take to come in is let go: what is read ahead for a client would otherwise stay for ever. */
async function sendAnswer(exchange: Exchange, answer: EndpointAnswer, patience: number): Promise<void> {
  const { outgoing } = exchange
  const { status = 200 } = answer
  // Of a body that is all there: without it the answer would go out in chunks, which some clients of OCSP do not read.
  const length =
    typeof answer.body === 'string' || answer.body instanceof Uint8Array ? { 'content-length': Buffer.byteLength(answer.body) } : {}
  outgoing.writeHead(status, { 'cache-control': 'no-store', ...(status === 304 ? {} : length), ...answer.headers })
  if (exchange.method === 'HEAD') return void outgoing.end()
  if (typeof answer.body === 'string' || answer.body instanceof Uint8Array) return void outgoing.end(answer.body)
  for await (const chunk of answer.body) {
    if (!outgoing.write(chunk)) await drained(outgoing, patience)
    if (outgoing.destroyed) return
  }
  outgoing.end()
}

/** When more can be written, or never again: who went away between two chunks says so no more. */
const drained = (outgoing: ServerResponse, patience: number): Promise<void> =>
  new Promise((resolve) => {
    if (outgoing.destroyed) return resolve()
    const impatience = setTimeout(() => outgoing.destroy(), patience)
    const go = () => {
      clearTimeout(impatience)
      outgoing.off('drain', go).off('close', go)
      resolve()
    }
    outgoing.on('drain', go).on('close', go)
  })

async function answerFault(exchange: Exchange, error: unknown, { house, refusals }: DoorsOptions): Promise<void> {
  let fault = faultOf(error)
  // Who went away while still sending hears nothing, and nothing of ours is broken.
  const gone = error instanceof ClientGone || (exchange.incoming.destroyed && !exchange.incoming.complete)
  if (fault.status >= 500 && gone) house.log.debug({ request: exchange.facts.id, route: routeName(exchange.match) }, 'the client went away')
  else if (fault.status >= 500) house.log.error({ error, request: exchange.facts.id, route: routeName(exchange.match) }, fault.code)
  const { route } = exchange.match
  const change = route.kind === 'call' ? isWatched(route.binding.call) : exchange.match !== nowhere && exchange.method !== 'GET'
  if (change && fault.status !== 503 && fault.code !== 'audit_failed') {
    try {
      await refusals.record(exchange, fault)
    } catch (refusalError) {
      house.log.error({ error: refusalError, request: exchange.facts.id }, 'a refused attempt could not be recorded')
      fault = faultOf(refusalError)
    }
  }
  respondFault(exchange, fault)
}

function respondFault(exchange: Exchange, fault: Fault): void {
  const { outgoing, incoming } = exchange
  if (outgoing.headersSent) return void outgoing.destroy()
  // What is left of an oversized body is not read.
  if (!incoming.complete) outgoing.setHeader('connection', 'close')
  if (fault.status === 429) outgoing.setHeader('retry-after', String(fault.detail.params?.['seconds'] ?? 60))
  const { route } = exchange.match
  const own = route.kind === 'endpoint' ? route.endpoint.presentFault?.(fault) : undefined
  if (own !== undefined) {
    outgoing.writeHead(own.status ?? fault.status, {
      'cache-control': 'no-store',
      ...own.headers,
      'content-length': Buffer.byteLength(own.body),
    })
    return void outgoing.end(exchange.method === 'HEAD' ? undefined : own.body)
  }
  if (!wantsPage(exchange.method, exchange.url.pathname, incoming.headers.accept))
    return sendJson(exchange, fault.status, wireFault(fault, exchange.facts.id))
  const page = faultPage(fault, exchange.facts.id)
  outgoing.writeHead(fault.status, { ...faultPageHeaders, 'content-length': Buffer.byteLength(page) })
  outgoing.end(exchange.method === 'HEAD' ? undefined : page)
}
