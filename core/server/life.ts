// The life of a request: the steps that every call passes, in their order. Endpoints pass the same door with their own dialect.

import type { Step } from './exchange.ts'
import { performEndpoint } from './steps/endpoint.ts'
import { refuseForgery } from './steps/forgery.ts'
import { identify } from './steps/identify.ts'
import { readInput } from './steps/input.ts'
import { countAgainstLimit } from './steps/limit.ts'
import { performCall } from './steps/perform.ts'
import { requirePermission } from './steps/permission.ts'
import { refuseOtherTenancy } from './steps/tenancy.ts'
import { nameVisitor } from './visiting.ts'

export type Identify = Parameters<typeof identify>[0]

export function lifeOfACall(find: Identify): readonly Step[] {
  const whoAsks: readonly Step[] = [identify(find), nameVisitor, requirePermission, refuseOtherTenancy]
  return [...whoAsks, refuseForgery, readInput, againIfChanged(whoAsks), countAgainstLimit, performCall]
}

/** A body can take its time to come in, and who asks may have lost the right to it meanwhile. */
const againIfChanged =
  (steps: readonly Step[]): Step =>
  async (exchange) => {
    const { house, since } = exchange
    if (house.cache.isCurrent(since)) return
    exchange.now = house.now()
    for (const step of steps) await step(exchange)
  }

export const lifeOfAnEndpoint = (find: Identify): readonly Step[] => [
  identify(find),
  nameVisitor,
  requirePermission,
  refuseOtherTenancy,
  refuseForgery,
  performEndpoint,
]
