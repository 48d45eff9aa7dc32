import { lazy as lazyPart } from 'react'
import { authorityPartSlot } from '#areas/authorities/authority-parts.ts'
import type { health } from '#areas/health/contract.ts'
import { lazy, show } from '#core/console/show.ts'
import { workWaiting } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'

export default show<typeof health>(
  'health',
  { overview: lazy(() => import('./HealthOfAuthorities.tsx')) },
  {
    offers: [
      offer(authorityPartSlot, {
        key: 'health',
        tab: 'health',
        load: lazyPart(() => import('./HealthPart.tsx').then(({ HealthPart }) => ({ default: HealthPart }))),
      }),
      offer(workWaiting, async () => (await import('./waiting-work.ts')).waitingWork),
    ],
    help: () => import('./help.md?raw'),
  },
)
