import { lazy, show } from '#core/console/show.ts'
import type { smartcards } from '../contract.ts'

export default show<typeof smartcards>(
  'smartcards',
  {
    desk: lazy(() => import('./CardDesk.tsx')),
    view: lazy(() => import('./CardView.tsx')),
    templates: lazy(() => import('./CardTemplates.tsx')),
    addTemplate: lazy(() => import('./AddCardTemplate.tsx')),
    editTemplate: lazy(() => import('./EditCardTemplate.tsx')),
  },
  {
    lists: { smartcard: lazy(() => import('./CardList.tsx')) },
    help: () => import('./help.md?raw'),
  },
)
