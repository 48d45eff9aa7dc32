// The readers as the stream tells of them, and operations with their steps. A stream that breaks begins anew.

import { useEffect, useState } from 'react'
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

/** `look` asks for the readers anew: the stream tells of readers and cards that come and go, not of what became of a card here. */
export function useReaders(): { found: Readers | undefined; drive: Drive; look: () => Promise<void> } {
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
  const look = async (): Promise<void> => {
    try {
      const { readers } = await send(smartcards.calls.readers, {})
      setFound((before) => heard(before, { type: 'list', connected: true, readers }))
    } catch {
      // The stream says what has become of the client.
    }
  }
  const drive: Drive = async (reader, operation, events) => {
    setFound((before) => started(before, reader, operation))
    try {
      for await (const { step, done } of events) {
        if (step !== undefined) setFound((before) => stepped(before, reader, step))
        if (done !== undefined) return done
      }
      return undefined
    } finally {
      await look()
      setFound((before) => finished(before, reader))
    }
  }
  return { found, drive, look }
}
