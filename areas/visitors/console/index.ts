import { lazy, show } from '#core/console/show.ts'
import type { visitors } from '../contract.ts'

export default show<typeof visitors>(
  'visitors',
  {
    list: lazy(() => import('./Visits.tsx')),
    add: lazy(() => import('./AddVisit.tsx')),
    visit: lazy(() => import('./ViewVisit.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
