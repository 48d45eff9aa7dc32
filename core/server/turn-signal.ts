// What a turn of a job asks of other machines ends with the turn. The signal follows the work by itself, so that no room can forget to pass it on.

import { AsyncLocalStorage } from 'node:async_hooks'

const turns = new AsyncLocalStorage<AbortSignal>()

export const inTurn = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => turns.run(signal, work)

/** For what a turn begins and does not wait for: it has an end of its own. */
export const besideTurn = <T>(work: () => T): T => turns.exit(work)

/** Aborted with the given signal, and with the turn where there is one. */
export function withTurn(signal: AbortSignal | undefined): AbortSignal | undefined {
  const turn = turns.getStore()
  if (turn === undefined || signal === undefined) return turn ?? signal
  return AbortSignal.any([turn, signal])
}
