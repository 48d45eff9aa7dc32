// A change that arrives with a session cookie must also carry the session's own token in the header, which another site cannot read.
// A request without a session is held by its Origin alone. Programs with a token send neither and need neither.

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Exchange } from '../exchange.ts'
import { commonFault } from '../fault.ts'

export const sessionCookie = 'chancery-session'
export const forgeryCookie = 'XSRF-TOKEN'
export const forgeryHeader = 'x-xsrf-token'

/** The anti-forgery token of a session: derived, so it needs no column and dies with the session. */
export const forgeryToken = (sessionSecret: string): string => createHash('sha256').update(`anti-forgery:${sessionSecret}`).digest('base64url')

export function refuseForgery({ incoming, method, facts, viewer, house }: Exchange): void {
  if (method === 'GET' || method === 'HEAD' || viewer?.via === 'token') return
  const origin = incoming.headers.origin
  if (origin !== undefined && !sameOrigin(origin, house.settings.origin, incoming.headers.host)) throw commonFault('forged')
  const secret = facts.cookies[sessionCookie]
  if (viewer === undefined || secret === undefined) return
  const sent = Buffer.from(String(incoming.headers[forgeryHeader] ?? ''))
  const right = Buffer.from(forgeryToken(secret))
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) throw commonFault('forged')
}

const sameOrigin = (origin: string, own: string, host: string | undefined): boolean =>
  origin === own || (host !== undefined && (origin === `http://${host}` || origin === `https://${host}`))
