// The news on the home page, until it is seen. It stands among the work and does not cover it.

import { useCall } from '#core/console/queries.ts'
import { read } from './news-calls.ts'
import { NewsCard } from './NewsCard.tsx'

export function NewsAtHome() {
  const { data } = useCall(read, {})
  return data?.show === true ? <NewsCard version={data.version} markdownString={data.markdownString} /> : null
}
