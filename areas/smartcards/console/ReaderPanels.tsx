// The readers of the person with what can be done with the card in each. The forms are loaded once there is a reader: the page without one says first how to get one.

import { lazy, Suspense, type ComponentProps } from 'react'
import { chunkFailed } from '#core/console/chunks.ts'
import { LoadingState } from '#core/console/kit/states.tsx'
import type { ReaderState } from './reader-state.ts'
import type { ReaderPanel as Panel } from './ReaderPanel.tsx'

const ReaderPanel = lazy(() => import('./ReaderPanel.tsx').then((file) => ({ default: file.ReaderPanel }), chunkFailed))

type PanelsProps = Omit<ComponentProps<typeof Panel>, 'reader'> & { readers: readonly ReaderState[] }

export const ReaderPanels = ({ readers, ...rest }: PanelsProps) => (
  <Suspense fallback={<LoadingState lines={2} />}>
    {readers.map((reader) => (
      <ReaderPanel key={reader.name} reader={reader} {...rest} />
    ))}
  </Suspense>
)
