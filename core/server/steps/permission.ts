import { satisfies, type Needs } from '#core/contract/permissions.ts'
import type { Exchange } from '../exchange.ts'
import { commonFault } from '../fault.ts'

export const needsOf = ({ route }: Exchange['match']): Needs => (route.kind === 'call' ? route.binding.call.needs : route.endpoint.needs)

export function requirePermission(exchange: Exchange): void {
  const needs = needsOf(exchange.match)
  if (needs === 'public') return
  if (exchange.viewer === undefined) throw commonFault('not_logged_in')
  if (!satisfies(exchange.viewer.permission.api, needs)) throw commonFault('denied', { params: { permission: needs } })
  if (exchange.match.route.kind === 'call' && exchange.match.route.binding.call.home === true) {
    exchange.viewer = { ...exchange.viewer, tenantId: exchange.viewer.homeTenantId }
    exchange.scope.tenantId = exchange.viewer.homeTenantId
  }
}
