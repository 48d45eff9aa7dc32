import type { Exchange } from '../exchange.ts'
import { countAttempt } from '../floors.ts'

/** Counts the attempt where the call stands on a floor; `performCall` gives it back when the call succeeds. */
export async function countAgainstFloor(exchange: Exchange): Promise<void> {
  const { route } = exchange.match
  if (route.kind !== 'call' || route.binding.call.floor === undefined) return
  exchange.floors = await countAttempt(exchange.house.database, route.binding.call.floor, accountOf(exchange), exchange.facts.address, exchange.now)
}

function accountOf({ input, viewer, facts }: Exchange): string | undefined {
  if (typeof input === 'object' && input !== null && 'username' in input && typeof input.username === 'string') return input.username
  return viewer?.userId ?? facts.cookies['chancery-pending']?.slice(0, 100)
}
