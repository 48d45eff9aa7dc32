// What a request says of itself, read once: its id, the address behind trusted proxies, its cookies and its token.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { RequestFacts } from './serve.ts'
import type { Settings } from './settings.ts'

export function readFacts(incoming: IncomingMessage, settings: Settings): RequestFacts {
  const { headers, socket } = incoming
  const key = headers['idempotency-key']
  return {
    id: randomUUID(),
    address: addressOf(incoming, settings),
    userAgent: (headers['user-agent'] ?? '').slice(0, 300),
    idempotencyKey: typeof key === 'string' && isIdempotencyKey(key) ? key : randomUUID(),
    cookies: readCookies(headers.cookie),
    bearer: /^Bearer ([\w.~+/-]{10,300}=*)$/.exec(headers.authorization ?? '')?.[1],
    secure: 'encrypted' in socket || settings.origin.startsWith('https:'),
  }
}

export const isIdempotencyKey = (key: string): boolean => /^[\w-]{8,100}$/.test(key)

/**
 * Whether the request comes from this machine. A proxy that the settings do not name is a stranger's way in: what came through it is not local,
 * though the proxy is.
 */
export function isLocal({ socket, headers }: IncomingMessage, { address }: Pick<RequestFacts, 'address'>, { trustedProxies }: Pick<Settings, 'trustedProxies'>): boolean {
  const loopback = address === '::1' || address.startsWith('127.')
  const forwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  return loopback && (!forwarded || trustedProxies.includes(plainAddress(socket.remoteAddress ?? '')))
}

const plainAddress = (address: string) => address.trim().replace(/^::ffff:/, '')

/** The last address that a trusted proxy did not add itself; without trusted proxies, the socket's. */
function addressOf(incoming: IncomingMessage, settings: Settings): string {
  let address = plainAddress(incoming.socket.remoteAddress ?? '')
  const forwarded = String(incoming.headers['x-forwarded-for'] ?? '').split(',').map(plainAddress).filter((part) => part !== '')
  while (settings.trustedProxies.includes(address)) {
    const next = forwarded.pop()
    if (next === undefined) break
    address = next
  }
  return address.slice(0, 60)
}

function readCookies(header: string | undefined): Record<string, string> {
  const cookies: Record<string, string> = {}
  for (const pair of (header ?? '').split(';').slice(0, 100)) {
    const at = pair.indexOf('=')
    if (at > 0) cookies[pair.slice(0, at).trim()] ??= pair.slice(at + 1).trim()
  }
  return cookies
}
