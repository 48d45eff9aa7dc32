import { lazy, show } from '#core/console/show.ts'
import type { acme } from '../contract.ts'

export default show<typeof acme>(
  'acme',
  {
    config: lazy(() => import('./AcmePage.tsx')),
    addDirectory: lazy(() => import('./AddDirectory.tsx')),
    editDirectory: lazy(() => import('./EditDirectory.tsx')),
    order: lazy(() => import('./OrderPage.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
