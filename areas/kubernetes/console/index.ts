import { lazy, show } from '#core/console/show.ts'
import type { kubernetes } from '../contract.ts'

export default show<typeof kubernetes>(
  'kubernetes',
  { config: lazy(() => import('./Clusters.tsx')) },
  { help: () => import('./help.md?raw') },
)
