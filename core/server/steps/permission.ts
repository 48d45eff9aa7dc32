import type { Call } from '#core/contract/contract.ts'
import { satisfies, type Needs } from '#core/contract/permissions.ts'
import type { Exchange } from '../exchange.ts'
import { commonFault } from '../fault.ts'
import type { Viewer } from '../serve.ts'

const needsOf = ({ route }: Exchange['match']): Needs => (route.kind === 'call' ? route.binding.call.needs : route.endpoint.needs)

export function requirePermission(exchange: Exchange): void {
  const needs = needsOf(exchange.match)
  if (needs === 'public') return
  if (exchange.viewer === undefined) throw commonFault('not_logged_in')
  if (!satisfies(exchange.viewer.permission.api, needs)) throw commonFault('denied', { params: { permission: needs } })
  if (exchange.match.route.kind === 'call') refuseToken(exchange.match.route.binding.call, exchange.viewer)
  if (exchange.match.route.kind === 'call' && exchange.match.route.binding.call.home === true) {
    exchange.viewer = { ...exchange.viewer, tenantId: exchange.viewer.homeTenantId }
    exchange.scope.tenantId = exchange.viewer.homeTenantId
  }
}

/** `signedIn` is no permission that a scope could name, so a narrowed token has only what the call says. */
function refuseToken({ needs, tokens }: Call, { via, narrowed, permission }: Viewer): void {
  if (via !== 'token') return
  if (tokens === 'never') throw commonFault('session_needed')
  if (narrowed !== true || needs !== 'signedIn' || tokens === 'any') return
  if (tokens === undefined || !tokens.some((name) => permission.api.includes(name)))
    throw commonFault('denied', { params: { permission: tokens?.join(' or ') ?? 'a token without scopes' } })
}
