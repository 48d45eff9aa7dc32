import { IconUserPlus } from '@tabler/icons-react'
import { lazy, show } from '#core/console/show.ts'
import { firstSteps } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { users } from '../contract.ts'
import { creationWays } from '../creation-ways.ts'

export default show<typeof users>(
  'users',
  {
    add: lazy(() => import('./AddUser.tsx')),
    view: lazy(() => import('./ViewUser.tsx')),
    edit: lazy(() => import('./EditUser.tsx')),
    creation: lazy(() => import('./UserCreation.tsx')),
  },
  {
    lists: { user: lazy(() => import('./UserList.tsx')) },
    offers: [
      offer(firstSteps, async () => (await import('./first-steps.ts')).steps),
      offer(creationWays, {
        key: 'form',
        says: 'Add one person',
        hint: 'With roles, and a link to activate the account',
        area: 'users',
        screen: 'add',
        order: 10,
        icon: IconUserPlus,
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
