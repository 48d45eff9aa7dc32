// What a request says of itself, read once: its id, the address behind trusted proxies, its cookies and its token.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hostOf } from './own-hosts.ts'
import type { RequestFacts } from './serve.ts'
import type { Settings } from './settings.ts'
import { isOwnOrigin } from './steps/forgery.ts'

export function readFacts(incoming: IncomingMessage, settings: Settings): RequestFacts {
  const { headers, socket } = incoming
  const key = headers['idempotency-key']
  const secure = 'encrypted' in socket || settings.origin.startsWith('https:')
  const host = hostOf(incoming)
  return {
    id: randomUUID(),
    address: addressOf(incoming, settings),
    userAgent: (headers['user-agent'] ?? '').slice(0, 300),
    idempotencyKey: typeof key === 'string' && isIdempotencyKey(key) ? key : randomUUID(),
    cookies: readCookies(headers.cookie, secure),
    bearer: /^Bearer ([\w.~+/-]{10,8000}=*)$/.exec(headers.authorization ?? '')?.[1],
    secure,
    ...(host === undefined ? {} : { host }),
    ...(headers.origin !== undefined && isOwnOrigin(headers.origin, settings.origin, socket) ? { origin: headers.origin } : {}),
  }
}

export const isIdempotencyKey = (key: string): boolean => /^[\w-]{8,100}$/.test(key)

/**
 * Whether the request comes from this machine, to an address of this machine, and through no proxy. The address of the socket alone counts: a
 * header that tells another is a proxy's, and a proxy that adds none still names the host that strangers asked it for.
 */
export function isLocal({ socket, headers }: IncomingMessage): boolean {
  if (!isLoopback(plainAddress(socket.remoteAddress ?? ''))) return false
  if (Object.keys(headers).some((name) => name.startsWith('x-forwarded') || proxyHeaders.has(name))) return false
  const host = (headers.host ?? headers[':authority']?.toString() ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return host.toLowerCase() === 'localhost' || isLoopback(host)
}

const isLoopback = (address: string): boolean => address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address)

/** What proxies add beside X-Forwarded-For, -Host and the like. */
const proxyHeaders = new Set(['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip', 'cf-connecting-ip'])

const plainAddress = (address: string) => address.trim().replace(/^::ffff:/, '')

/** The last address that a trusted proxy did not add itself; without trusted proxies, the socket's. */
function addressOf(incoming: IncomingMessage, settings: Settings): string {
  let address = plainAddress(incoming.socket.remoteAddress ?? '')
  const forwarded = String(incoming.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map(plainAddress)
    .filter((part) => part !== '')
  while (settings.trustedProxies.includes(address)) {
    const next = forwarded.pop()
    if (next === undefined) break
    address = next
  }
  return address.slice(0, 60)
}

/** Over https a browser takes a cookie of this prefix from this host and this scheme alone: no neighbour below the same domain plants one. */
export const hostPrefix = '__Host-'

/** By the name without the prefix; over https our own do not count without it. */
function readCookies(header: string | undefined, secure: boolean): Record<string, string> {
  const cookies: Record<string, string> = {}
  for (const pair of (header ?? '').split(';').slice(0, 100)) {
    const at = pair.indexOf('=')
    if (at <= 0) continue
    const name = pair.slice(0, at).trim()
    if (secure && name.startsWith('chancery-')) continue
    cookies[secure && name.startsWith(hostPrefix) ? name.slice(hostPrefix.length) : name] ??= pair.slice(at + 1).trim()
  }
  return cookies
}
