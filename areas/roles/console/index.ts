import { lazy, show } from '#core/console/show.ts'
import type { roles } from '../contract.ts'

export default show<typeof roles>(
  'roles',
  {
    add: lazy(() => import('./AddRole.tsx')),
    view: lazy(() => import('./ViewRole.tsx')),
    edit: lazy(() => import('./EditRole.tsx')),
    compare: lazy(() => import('./CompareRoles.tsx')),
    creation: lazy(() => import('./RoleCreation.tsx')),
  },
  {
    lists: { role: lazy(() => import('./RoleList.tsx')) },
    help: () => import('./help.md?raw'),
  },
)
