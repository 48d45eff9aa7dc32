import type { audit } from '#areas/audit/contract.ts'
import { lazy, show } from '#core/console/show.ts'
import { homePanels } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'

export default show<typeof audit>(
  'audit',
  { dashboard: lazy(() => import('./AuditDashboard.tsx')) },
  {
    offers: [
      offer(homePanels, {
        key: 'activity',
        title: 'Latest activity',
        needs: 'audit',
        order: 90,
        load: lazy(() => import('./LatestActivity.tsx')),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
