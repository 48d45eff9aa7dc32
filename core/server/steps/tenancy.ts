// A session works in one tenancy at a time, and a tab can still show the one before. The console says with each call and download which tenancy
// it shows. A download must say it: what asks without is no page of ours but an address that was opened by itself.

import type { Exchange } from '../exchange.ts'
import { commonFault } from '../fault.ts'

const tenancyHeader = 'x-chancery-tenancy'

/** After the permission step, which takes calls about the own account home: those are the same in every tab. */
export function refuseOtherTenancy({ incoming, match: { route }, viewer }: Exchange): void {
  if (viewer?.via !== 'session') return
  const shown = incoming.headers[tenancyHeader]
  const { needs, home } = route.kind === 'call' ? route.binding.call : { ...route.endpoint, home: false }
  if (home === true || needs === 'public' || (shown === undefined && route.kind === 'call')) return
  if (shown !== viewer.tenantId) throw commonFault('other_tenancy')
}
