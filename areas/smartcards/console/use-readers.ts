// The readers as the stream tells of them. A stream that breaks begins anew.

import { useEffect, useState } from 'react'
import type * as z from 'zod'
import { openStream } from '#core/console/stream.ts'
import { smartcards } from '../contract.ts'
import type { ReaderView } from '../shapes.ts'

export type Reader = z.output<typeof ReaderView>
export type Readers = { connected: boolean; readers: readonly (Reader & { processing: boolean })[] }

const againMilliseconds = 3_000

export function useReaders(): Readers | undefined {
  const [found, setFound] = useState<Readers>()
  useEffect(() => {
    const ended = new AbortController()
    const follow = async () => {
      while (!ended.signal.aborted) {
        try {
          for await (const event of openStream(smartcards.streams.readers, {}, { signal: ended.signal })) {
            const processing = event.type === 'new'
            // While a reader is read anew what was known of its card stands.
            setFound((before) => ({
              connected: event.connected,
              readers: event.readers.map((reader) => ({
                ...(processing ? (before?.readers.find(({ name }) => name === reader.name) ?? reader) : reader),
                processing,
              })),
            }))
          }
        } catch {
          // Begun anew below.
        }
        await new Promise((resolve) => setTimeout(resolve, againMilliseconds))
      }
    }
    void follow()
    return () => ended.abort()
  }, [])
  return found
}
