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
    lists: { user: { label: 'Users', needs: 'userView', load: lazy(() => import('./UserList.tsx')) } },
    records: {
      user: { label: 'Users', needs: 'userView', find: async (text, signal) => (await import('./find.ts')).findUsers(text, signal) },
    },
    help: () => import('./help.md?raw'),
  },
)
