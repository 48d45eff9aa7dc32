// A person of one tenancy can work in another that it manages. What is recorded there must say where the person comes from, or a log full of
// strangers' usernames would read as if its own people had done it all: `ada` of Northwind is written `ada (Northwind)` in every other log.

import type { Step } from './exchange.ts'
import type { Viewer } from './serve.ts'
import { tenancyName } from './tenancies.ts'

/** Who acts, as a log that outlives both shows it. */
export const actorOf = ({ username, homeName }: Pick<Viewer, 'username' | 'homeName'>): string =>
  homeName === undefined ? username : `${username} (${homeName})`

export const nameVisitor: Step = async (exchange) => {
  const { viewer, house, match } = exchange
  if (viewer === undefined || viewer.tenantId === viewer.homeTenantId) return
  // What is about the own account is done, and recorded, at home.
  if (match.route.kind === 'call' && (match.route.binding.call.home === true || match.route.binding.call.needs === 'public')) return
  const homeName = await house.cache.get(`tenancy name ${viewer.homeTenantId}`, async () => tenancyName(house, viewer.homeTenantId))
  if (homeName === undefined) return
  exchange.viewer = { ...viewer, homeName }
  exchange.scope = { ...exchange.scope, actor: actorOf(exchange.viewer) }
}
