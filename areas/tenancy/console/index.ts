import { lazy, show } from '#core/console/show.ts'
import type { tenancy } from '../contract.ts'

export default show<typeof tenancy>(
  'tenancy',
  {
    config: lazy(() => import('./TenancyConfig.tsx')),
    list: lazy(() => import('./ManagedTenancies.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
