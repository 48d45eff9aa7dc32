import { deviceCookie, readDevice } from '../devices.ts'
import type { Exchange } from '../exchange.ts'
import { countAttempt, networkOf, type Attempt } from '../limits.ts'

/** Counts the attempt where the call has a limit; `performCall` gives it back when the call succeeds. */
export async function countAgainstLimit(exchange: Exchange): Promise<void> {
  const { route } = exchange.match
  if (route.kind !== 'call' || route.binding.call.limit === undefined) return
  exchange.limitTickets = await countAttempt(
    exchange.house.database,
    route.binding.call.limit,
    attemptOf(exchange, route.binding.call.limit),
    exchange.now,
  )
}

/**
 * The account guessed at: at sign-in the name that was typed, whoever is signed in besides, from a network; else the person's own, from one
 * session or token, so that a token in wrong hands uses up nothing but its own. Where a cookie alone leads to the account, the handler counts.
 */
function attemptOf({ input, viewer, facts, house }: Exchange, limit: string): Attempt {
  const { address } = facts
  if (limit !== 'signIn') return viewer === undefined ? { address } : { account: viewer.userId, from: viewer.credentialId, address }
  const account =
    typeof input === 'object' && input !== null && 'username' in input && typeof input.username === 'string' ? input.username : undefined
  if (account === undefined) return { address }
  return { account, from: networkOf(address), address, device: readDevice(house, facts.cookies[deviceCookie], account) }
}
