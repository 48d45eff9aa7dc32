import { lazy, show } from '#core/console/show.ts'
import type { domains } from '../contract.ts'

export default show<typeof domains>(
  'domains',
  {
    list: lazy(() => import('./AllowedDomains.tsx')),
    view: lazy(() => import('./ViewDomain.tsx')),
  },
  {
    lists: { domain: lazy(() => import('./AllowedDomains.tsx')) },
    help: () => import('./help.md?raw'),
  },
)
