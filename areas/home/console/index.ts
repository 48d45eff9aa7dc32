import { lazy, show } from '#core/console/show.ts'
import type { home } from '../contract.ts'

export default show<typeof home>(
  'home',
  {
    home: lazy(() => import('./Home.tsx')),
    about: lazy(() => import('./About.tsx')),
    api: lazy(() => import('./ApiReference.tsx')),
  },
  { help: () => import('./help.md?raw'), waiting: async (signal) => (await import('./waiting-work.ts')).waitingWork(signal) },
)
