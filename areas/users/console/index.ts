import { lazy, show } from '#core/console/show.ts'
import { firstSteps } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
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
    offers: [offer(firstSteps, async () => (await import('./first-steps.ts')).steps)],
    help: () => import('./help.md?raw'),
  },
)
