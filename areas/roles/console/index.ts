import { lazy, show } from '#core/console/show.ts'
import type { roles } from '../contract.ts'

export default show<typeof roles>(
  'roles',
  {
    add: lazy(() => import('./AddRole.tsx')),
    view: lazy(() => import('./ViewRole.tsx')),
    edit: lazy(() => import('./EditRole.tsx')),
  },
  {
    lists: { role: { label: 'Roles', needs: 'roleView', load: lazy(() => import('./RoleList.tsx')) } },
    records: {
      role: { label: 'Roles', needs: 'roleView', find: async (text, signal) => (await import('./find.ts')).findRoles(text, signal) },
    },
    help: () => import('./help.md?raw'),
  },
)
