import { lazy, show } from '#core/console/show.ts'
import { firstSteps } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { tenancy } from '../contract.ts'

export default show<typeof tenancy>(
  'tenancy',
  {
    config: lazy(() => import('./TenancyConfig.tsx')),
    list: lazy(() => import('./ManagedTenancies.tsx')),
  },
  { offers: [offer(firstSteps, async () => (await import('./first-steps.ts')).steps)], help: () => import('./help.md?raw') },
)
