// A change that arrives with a session cookie must also carry the session's own token in the header, which another site cannot read.
// A request without a session is held by its Origin alone. Programs with a token send neither and need neither.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Exchange } from '../exchange.ts'
import { commonFault } from '../fault.ts'
import { isServedOrigin } from '../own-hosts.ts'

export const sessionCookie = 'chancery-session'
export const forgeryCookie = 'XSRF-TOKEN'
const forgeryHeader = 'x-xsrf-token'

/** The anti-forgery token of a session: derived, so it needs no column and dies with the session. */
export const forgeryToken = (sessionSecret: string): string =>
  createHash('sha256').update(`anti-forgery:${sessionSecret}`).digest('base64url')

export async function refuseForgery({ incoming, method, facts, viewer, house }: Exchange): Promise<void> {
  if (method === 'GET' || method === 'HEAD' || viewer?.via === 'token') return
  const origin = incoming.headers.origin
  if (
    origin !== undefined &&
    !isOwnOrigin(origin, house.settings.origin, incoming.socket) &&
    !(await isServedOrigin(house, origin, incoming))
  )
    throw commonFault('foreign_origin')
  const secret = facts.cookies[sessionCookie]
  if (viewer === undefined || secret === undefined) return
  const sent = Buffer.from(String(incoming.headers[forgeryHeader] ?? ''))
  const right = Buffer.from(forgeryToken(secret))
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) throw commonFault('forged')
}

const loopback = ['localhost', '127.0.0.1', '[::1]']

/** The address that is set, or our own port on this machine. What the Host header says is a stranger's word. */
export function isOwnOrigin(origin: string, own: string, socket: Pick<Socket, 'localPort'>): boolean {
  if (origin === own) return true
  const url = URL.parse(origin)
  if (url === null || url.origin !== origin || url.protocol !== ('encrypted' in socket ? 'https:' : 'http:')) return false
  return loopback.includes(url.hostname) && Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === socket.localPort
}
