import { lazy, show } from '#core/console/show.ts'
import type { directories } from '../contract.ts'

export default show<typeof directories>(
  'directories',
  {
    sync: lazy(() => import('./DirectorySync.tsx')),
    plan: lazy(() => import('./SyncPlan.tsx')),
    add: lazy(() => import('./AddDirectory.tsx')),
    edit: lazy(() => import('./EditDirectory.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
