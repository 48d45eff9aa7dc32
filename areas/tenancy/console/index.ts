import type { tenancy } from '../contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof tenancy>(
  'tenancy',
  {
    config: lazy(() => import('./TenancyConfig.tsx')),
    list: lazy(() => import('./ManagedTenancies.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
