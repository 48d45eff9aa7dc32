import { lazy, show } from '#core/console/show.ts'
import type { selfservice } from '../contract.ts'

export default show<typeof selfservice>(
  'selfservice',
  {
    portal: lazy(() => import('./Portal.tsx')),
    requestSmartcard: lazy(() => import('./RequestSmartcard.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
