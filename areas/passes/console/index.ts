import { lazy as lazyPart } from 'react'
import { userTabSlot } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { passes } from '../contract.ts'

export default show<typeof passes>(
  'passes',
  {
    manage: lazy(() => import('./PassList.tsx')),
    positive: lazy(() => import('./IssuePositive.tsx')),
    guest: lazy(() => import('./IssueGuest.tsx')),
    print: lazy(() => import('./PrintPasses.tsx')),
  },
  {
    offers: [
      offer(userTabSlot, {
        key: 'passes',
        label: 'Passes',
        needs: 'smartcardTemporary',
        load: lazyPart(() => import('./PersonPasses.tsx').then((file) => ({ default: file.PersonPasses }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
