// What a page does beside what it was opened for, the bell's count or the settings of another machine, waits until that stands: on a slow line
// it would take its turns.

import { useEffect, useState } from 'react'
import { queryClient } from './query-client.ts'

/** Also where nothing is read, or something hangs. */
const longestMilliseconds = 2_000

/** Once the first reading has been answered and none is on its way. Returns how to call it off. */
export function whenShown(work: () => void): () => void {
  const cache = queryClient.getQueryCache()
  const isShown = (): boolean => queryClient.isFetching() === 0 && cache.getAll().some(({ state }) => state.status !== 'pending')
  let ended = false
  const end = (): void => {
    ended = true
    unsubscribe()
    clearTimeout(timer)
  }
  const go = (): void => {
    if (ended) return
    end()
    work()
  }
  // A screen may ask for more once it has an answer: looked at again when it had the time to.
  const look = (): void => {
    if (isShown()) later(() => isShown() && go())
  }
  const unsubscribe = cache.subscribe(look)
  const timer = setTimeout(go, longestMilliseconds)
  look()
  return end
}

const later = (work: () => void): void => void ('requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work))

export function useShown(): boolean {
  const [shown, setShown] = useState(false)
  useEffect(() => whenShown(() => setShown(true)), [])
  return shown
}
