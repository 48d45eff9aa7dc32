import { lazy, show } from '#core/console/show.ts'
import type { workflow } from '../contract.ts'

export default show<typeof workflow>(
  'workflow',
  {
    work: lazy(() => import('./MyWork.tsx')),
    transactions: lazy(() => import('./Transactions.tsx')),
    place: lazy(() => import('./RequestPlace.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
