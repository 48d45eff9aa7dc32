import { satisfies, type Needs } from '#core/contract/permissions.ts'
import type { Exchange } from '../exchange.ts'
import { commonFault } from '../fault.ts'

export const needsOf = ({ route }: Exchange['match']): Needs => (route.kind === 'call' ? route.binding.call.needs : route.endpoint.needs)

export function requirePermission(exchange: Exchange): void {
  const needs = needsOf(exchange.match)
  if (needs === 'public') return
  if (exchange.viewer === undefined) throw commonFault('not_logged_in')
  if (!satisfies(exchange.viewer.permission.api, needs)) throw commonFault('denied', { params: { permission: needs } })
}
