import { lazy, show } from '#core/console/show.ts'
import { workKinds, workWaiting } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { discovery } from '../contract.ts'

export default show<typeof discovery>(
  'discovery',
  {
    config: lazy(() => import('./Scans.tsx')),
    report: lazy(() => import('./Findings.tsx')),
    domains: lazy(() => import('./DomainReport.tsx')),
  },
  {
    offers: [
      offer(workKinds, async () => (await import('./asked-networks.ts')).workOfThisRoom),
      offer(workWaiting, async () => (await import('./waiting-work.ts')).waitingWork),
    ],
    help: () => import('./help.md?raw'),
  },
)
