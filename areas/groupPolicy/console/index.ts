import { lazy, show } from '#core/console/show.ts'
import type { groupPolicy } from '../contract.ts'

export default show<typeof groupPolicy>(
  'groupPolicy',
  {
    view: lazy(() => import('./ViewGroupPolicy.tsx')),
    read: lazy(() => import('./ReadBackup.tsx')),
    domain: lazy(() => import('./ReadDomain.tsx')),
  },
  { lists: { gpo: lazy(() => import('./GpoList.tsx')) }, help: () => import('./help.md?raw') },
)
