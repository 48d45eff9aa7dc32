import { lazy as lazyPart } from 'react'
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
