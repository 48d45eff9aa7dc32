// The news on the home page, until it is seen. It stands among the work and does not cover it; what draws it is loaded only where there is some.

import { lazy, Suspense } from 'react'
import { chunkFailed } from '#core/console/chunks.ts'
import { useCall } from '#core/console/queries.ts'
import { read } from './news-calls.ts'

const NewsCard = lazy(() => import('./NewsCard.tsx').then((file) => ({ default: file.NewsCard }), chunkFailed))

export function NewsAtHome() {
  const { data } = useCall(read, {})
  return data?.show === true ? (
    <Suspense>
      <NewsCard version={data.version} markdownString={data.markdownString} />
    </Suspense>
  ) : null
}
