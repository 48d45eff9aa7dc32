import { lazy, show } from '#core/console/show.ts'
import type { users } from '../contract.ts'

export default show<typeof users>(
  'users',
  {
    add: lazy(() => import('./AddUser.tsx')),
    view: lazy(() => import('./ViewUser.tsx')),
    edit: lazy(() => import('./EditUser.tsx')),
  },
  {
    lists: { user: lazy(() => import('./UserList.tsx')) },
    help: () => import('./help.md?raw'),
  },
)
