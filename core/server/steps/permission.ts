import { doorRefusal, type Door } from '#core/contract/access.ts'
import type { Exchange } from '../exchange.ts'
import { commonFault } from '../fault.ts'

const doorOf = ({ route }: Exchange['match']): Door => (route.kind === 'call' ? route.binding.call : route.endpoint)

export function requirePermission(exchange: Exchange): void {
  const door = doorOf(exchange.match)
  if (door.needs === 'public') return
  if (exchange.viewer === undefined) throw commonFault('not_logged_in')
  const refusal = doorRefusal(exchange.viewer, door)
  if (refusal?.code === 'session_needed') throw commonFault('session_needed')
  if (refusal !== undefined) throw commonFault('denied', { params: { permission: refusal.permission } })
  if (exchange.match.route.kind === 'call' && exchange.match.route.binding.call.home === true) {
    exchange.viewer = { ...exchange.viewer, tenantId: exchange.viewer.homeTenantId }
    exchange.scope.tenantId = exchange.viewer.homeTenantId
  }
}
