import type { Exchange } from '../exchange.ts'
import { countAttempt } from '../floors.ts'

/** Counts the attempt where the call stands on a floor; `performCall` gives it back when the call succeeds. */
export async function countAgainstFloor(exchange: Exchange): Promise<void> {
  const { route } = exchange.match
  if (route.kind !== 'call' || route.binding.call.floor === undefined) return
  exchange.floors = await countAttempt(exchange.house.database, route.binding.call.floor, accountOf(exchange, route.binding.call.floor), exchange.facts.address, exchange.now)
}

/** The account guessed at: at sign-in the name that was typed, whoever is signed in besides. Where a cookie alone leads to it, the handler counts. */
function accountOf({ input, viewer }: Exchange, floor: string): string | undefined {
  if (floor !== 'signIn') return viewer?.userId
  return typeof input === 'object' && input !== null && 'username' in input && typeof input.username === 'string' ? input.username : undefined
}
