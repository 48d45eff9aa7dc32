// The words of what rooms have waiting, and of the first steps. They come with the page: what came after it would push the cards down.

import { offersTo } from '#core/console/rooms.ts'
import { firstSteps, workWaiting } from '#core/console/slots.ts'

/** Told apart by how many rooms have some: those that come later bring others. */
const wordsOf = <T>(what: string, offers: readonly (() => Promise<readonly T[]>)[]) => ({
  queryKey: ['home', what, offers.length],
  staleTime: Infinity,
  queryFn: async (): Promise<readonly T[]> => (await Promise.all(offers.map((load) => load()))).flat(),
})

export const waitingKinds = () => wordsOf('waiting kinds', offersTo(workWaiting))
export const stepWords = () => wordsOf('first steps', offersTo(firstSteps))
