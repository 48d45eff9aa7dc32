import { IconRefresh } from '@tabler/icons-react'
import { lazy as lazyPart } from 'react'
import { creationWays } from '#areas/users/creation-ways.ts'
import { userTabSlot } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { directories } from '../contract.ts'

export default show<typeof directories>(
  'directories',
  {
    sync: lazy(() => import('./DirectorySync.tsx')),
    plan: lazy(() => import('./SyncPlan.tsx')),
    add: lazy(() => import('./AddDirectory.tsx')),
    edit: lazy(() => import('./EditDirectory.tsx')),
  },
  {
    offers: [
      offer(creationWays, {
        key: 'directory',
        says: 'Take over from a directory',
        hint: 'LDAP, Active Directory or Entra ID: a plan first, then a run',
        area: 'directories',
        screen: 'sync',
        order: 30,
        icon: IconRefresh,
      }),
      offer(userTabSlot, {
        key: 'directory',
        label: 'Directory account',
        needs: 'ssoConfig',
        load: lazyPart(() => import('./PersonDirectory.tsx').then((file) => ({ default: file.PersonDirectory }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
