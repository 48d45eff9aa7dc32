import { lazy, show } from '#core/console/show.ts'
import type { discovery } from '../contract.ts'

export default show<typeof discovery>(
  'discovery',
  {
    config: lazy(() => import('./Scans.tsx')),
    report: lazy(() => import('./Findings.tsx')),
    domains: lazy(() => import('./DomainReport.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
