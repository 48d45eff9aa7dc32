import { lazy, show } from '#core/console/show.ts'
import type { stock } from '../contract.ts'

export default show<typeof stock>(
  'stock',
  {
    list: lazy(() => import('./StockList.tsx')),
    places: lazy(() => import('./Places.tsx')),
    counts: lazy(() => import('./Counts.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
