import type { audit } from '#areas/audit/contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof audit>(
  'audit',
  { dashboard: lazy(() => import('./AuditDashboard.tsx')) },
  { help: () => import('./help.md?raw') },
)
