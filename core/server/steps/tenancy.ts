// A session works in one tenancy at a time, and a tab can still show the one before. The console says with each call which tenancy it shows.

import type { Exchange } from '../exchange.ts'
import { commonFault } from '../fault.ts'

const tenancyHeader = 'x-chancery-tenancy'

/** After the permission step, which takes calls about the own account home: those are the same in every tab. */
export function refuseOtherTenancy({ incoming, match, viewer }: Exchange): void {
  const shown = incoming.headers[tenancyHeader]
  if (shown === undefined || viewer?.via !== 'session' || match.route.kind !== 'call') return
  const { call } = match.route.binding
  if (call.home === true || call.needs === 'public') return
  if (shown !== viewer.tenantId) throw commonFault('other_tenancy')
}
