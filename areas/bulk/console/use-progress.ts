// A run as it goes on: what the page was opened with, then each step from the stream. Where the stream breaks, the truth is read again.

import { useEffect, useState } from 'react'
import type * as z from 'zod'
import { changed } from '#core/console/queries.ts'
import { openStream } from '#core/console/stream.ts'
import { bulkOffer } from '../bulk-actions.tsx'
import { bulk, type RunView } from '../contract.ts'

type Progress = z.output<(typeof bulk.streams.progress)['event']>

export type Followed = RunView & { connection: 'good' | 'lost' }

export function useProgress(run: RunView): Followed {
  const [step, setStep] = useState<{ of: string; progress: Progress }>()
  const [lost, setLost] = useState(false)
  const { runId, state, action } = run
  useEffect(() => {
    if (state !== 'running') return
    const ended = new AbortController()
    const follow = async () => {
      try {
        for await (const progress of openStream(bulk.streams.progress, { runId }, { signal: ended.signal })) {
          setStep({ of: runId, progress })
          setLost(false)
        }
        changed('bulk', ...(bulkOffer(action)?.invalidates ?? []))
      } catch {
        if (!ended.signal.aborted) setLost(true)
      }
    }
    void follow()
    return () => ended.abort()
  }, [runId, state, action])
  // What was read afterwards, as when somebody stopped it, is newer than the last step.
  const newest = step?.of === runId && state === 'running' ? step.progress : {}
  return { ...run, ...newest, connection: lost && state === 'running' ? 'lost' : 'good' }
}
