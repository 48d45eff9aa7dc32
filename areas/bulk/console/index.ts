import { lazy, show } from '#core/console/show.ts'
import type { bulk } from '../contract.ts'

export default show<typeof bulk>(
  'bulk',
  { runs: lazy(() => import('./BulkRuns.tsx')), run: lazy(() => import('./BulkRun.tsx')) },
  { help: () => import('./help.md?raw') },
)
