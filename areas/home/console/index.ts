import { lazy, show } from '#core/console/show.ts'
import { notices } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { home } from '../contract.ts'

export default show<typeof home>(
  'home',
  {
    home: lazy(() => import('./Home.tsx')),
    about: lazy(() => import('./About.tsx')),
    documentation: lazy(() => import('./Documentation.tsx')),
    api: lazy(() => import('./ApiReference.tsx')),
  },
  {
    help: () => import('./help.md?raw'),
    offers: [offer(notices, { area: 'home', read: async (signal) => (await import('./waiting-work.ts')).waitingWork(signal) })],
  },
)
