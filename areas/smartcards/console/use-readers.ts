// The readers as the stream tells of them, and operations with their steps. A stream that breaks begins anew.

import { useCallback, useEffect, useState } from 'react'
import { send } from '#core/console/send.ts'
import { openStream } from '#core/console/stream.ts'
import { smartcards } from '../contract.ts'
import { pingMilliseconds } from '../rules.ts'
import { finished, heard, started, stepped, type Readers, type Step } from './reader-state.ts'

const againMilliseconds = 3_000

/** Shows an operation on its reader while it goes on; answers what came of it, and throws its fault. */
export type Drive = <D>(
  reader: string,
  operation: string,
  events: AsyncGenerator<{ step?: Step | undefined; done?: D | undefined }>,
) => Promise<D | undefined>

export function useReaders(): { found: Readers | undefined; drive: Drive } {
  const [found, setFound] = useState<Readers>()
  useEffect(() => {
    const ended = new AbortController()
    const follow = async () => {
      while (!ended.signal.aborted) {
        try {
          for await (const event of openStream(smartcards.streams.readers, {}, { signal: ended.signal }))
            setFound((before) => heard(before, event))
        } catch {
          // Begun anew below.
        }
        await new Promise((resolve) => setTimeout(resolve, againMilliseconds))
      }
    }
    void follow()
    const pings = setInterval(() => void send(smartcards.calls.ping, {}).catch(() => {}), pingMilliseconds)
    return () => {
      clearInterval(pings)
      ended.abort()
    }
  }, [])
  const drive: Drive = useCallback(async (reader, operation, events) => {
    setFound((before) => started(before, reader, operation))
    let isDone = false
    try {
      for await (const { step, done } of events) {
        if (step !== undefined) setFound((before) => stepped(before, reader, step))
        if (done !== undefined) {
          isDone = true
          return done
        }
      }
      return undefined
    } finally {
      setFound((before) => finished(before, reader, isDone))
    }
  }, [])
  return { found, drive }
}
