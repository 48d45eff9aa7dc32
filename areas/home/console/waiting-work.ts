import { send } from '#core/console/send.ts'
import type { WaitingWork } from '#core/console/slots.ts'
import { home } from '../contract.ts'
import { waitingKinds } from './words.ts'

/** For the bell: what this person has to decide. */
export async function waitingWork(signal: AbortSignal): Promise<WaitingWork[]> {
  const [{ counts }, kinds] = await Promise.all([send(home.calls.waiting, {}, { signal }), waitingKinds().queryFn()])
  return kinds.flatMap(({ kind, path, says }) => {
    const count = counts[kind] ?? 0
    return count === 0 ? [] : [{ count, path, says: says(count) }]
  })
}
