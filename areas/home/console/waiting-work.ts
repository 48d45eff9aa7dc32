import { offersTo } from '#core/console/rooms.ts'
import { send } from '#core/console/send.ts'
import { workWaiting, type WaitingKind, type WaitingWork } from '#core/console/slots.ts'
import { home } from '../contract.ts'

/** The words of what may wait, of every room that has some. */
export const waitingKinds = async (): Promise<readonly WaitingKind[]> =>
  (await Promise.all(offersTo(workWaiting).map((load) => load()))).flat()

/** For the bell: what this person has to decide. */
export async function waitingWork(signal: AbortSignal): Promise<WaitingWork[]> {
  const [{ counts }, kinds] = await Promise.all([send(home.calls.waiting, {}, { signal }), waitingKinds()])
  return kinds.flatMap(({ kind, path, says }) => {
    const count = counts[kind] ?? 0
    return count === 0 ? [] : [{ count, path, says: says(count) }]
  })
}
