import { IconPlugConnected } from '@tabler/icons-react'
import { creationWays } from '#areas/users/creation-ways.ts'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { scim } from '../contract.ts'

export default show<typeof scim>(
  'scim',
  {
    list: lazy(() => import('./ScimSources.tsx')),
    view: lazy(() => import('./ScimSource.tsx')),
  },
  {
    offers: [
      offer(creationWays, {
        key: 'scim',
        says: 'Provision by SCIM',
        hint: 'An identity provider keeps people and groups in step',
        area: 'scim',
        screen: 'list',
        order: 40,
        icon: IconPlugConnected,
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
