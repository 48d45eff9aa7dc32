import { lazy, show } from '#core/console/show.ts'
import type { printing } from '../contract.ts'

export default show<typeof printing>(
  'printing',
  {
    print: lazy(() => import('./PrintCards.tsx')),
    requested: lazy(() => import('./RequestedCards.tsx')),
    files: lazy(() => import('./BatchFiles.tsx')),
    cards: lazy(() => import('./PrintedCards.tsx')),
    status: lazy(() => import('./PrintStatus.tsx')),
    faces: lazy(() => import('./CardFaces.tsx')),
    face: lazy(() => import('./CardFace.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
