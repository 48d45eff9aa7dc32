// The home page in one call: what all cards read comes with it and is kept as if each had asked. A stream tells when something has changed, and then it
// is asked for once more.

import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { keepAnswer, releaseAnswers } from '#core/console/queries.ts'
import { queryClient } from '#core/console/query-client.ts'
import { send } from '#core/console/send.ts'
import { openStream } from '#core/console/stream.ts'
import { home } from '../contract.ts'
import { stepWords, waitingKinds } from './words.ts'

const queryKey = ['home', 'page', {}]
/** In case the stream breaks and nobody hears of it. */
const rereadMilliseconds = 60_000
/** A busy tenancy changes many times a second; people read slower. */
const pauseMilliseconds = 3_000
const reconnectMilliseconds = 10_000
/** What was asked for with the address is drawn as it is. */
const freshMilliseconds = 3_000

async function readPage(signal?: AbortSignal): Promise<{ count: number }> {
  const [{ answers }] = await Promise.all([
    send(home.calls.page, {}, signal === undefined ? {} : { signal }),
    queryClient.prefetchQuery(waitingKinds()),
    queryClient.prefetchQuery(stepWords()),
  ])
  for (const { area, name, input, answer } of answers) keepAnswer({ area, name }, input, answer)
  return { count: answers.length }
}

export const askForHome = (): Promise<void> => queryClient.prefetchQuery({ queryKey, queryFn: () => readPage() })

/** Whether the cards can be drawn: what they read is here, or could not be read with the page. */
export function useHomePage(): boolean {
  const { isPending } = useQuery({
    queryKey,
    queryFn: ({ signal }) => readPage(signal),
    staleTime: freshMilliseconds,
    refetchInterval: rereadMilliseconds,
  })
  useEffect(() => {
    const left = new AbortController()
    void follow(left.signal)
    return () => {
      left.abort()
      releaseAnswers()
    }
  }, [])
  return !isPending
}

async function follow(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const _change of openStream(home.streams.changes, {}, { signal })) {
        await queryClient.invalidateQueries({ queryKey })
        await pause(pauseMilliseconds, signal)
      }
    } catch {
      // What the stream does not tell is read each minute.
    }
    await pause(reconnectMilliseconds, signal)
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
