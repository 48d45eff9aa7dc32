import type { Exchange } from '../exchange.ts'
import { commonFault } from '../fault.ts'
import { readWithin } from './input.ts'

/** Hands the request to the room's own dialect. What it throws becomes a fault like any other. */
export async function performEndpoint(exchange: Exchange): Promise<void> {
  const { route, params } = exchange.match
  if (route.kind !== 'endpoint') return
  const { endpoint } = route
  // An endpoint has no shape that would refuse what no row can hold.
  if ([...exchange.url.searchParams].some(([name, value]) => `${name}${value}`.includes('\u0000'))) throw commonFault('malformed')
  exchange.output = await endpoint.handle({
    facts: exchange.facts,
    method: exchange.method,
    url: exchange.url,
    params,
    viewer: exchange.viewer,
    now: exchange.now,
    house: exchange.house,
    body: async () => readWithin(exchange, endpoint.bodyLimit ?? 64 * 1024),
    raw: exchange.incoming,
  })
}
