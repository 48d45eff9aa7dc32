import { lazy as lazyPart } from 'react'
import { userTabSlot } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { sponsors } from '../contract.ts'

export default show<typeof sponsors>(
  'sponsors',
  {
    manage: lazy(() => import('./ManageSponsors.tsx')),
    add: lazy(() => import('./AddSponsor.tsx')),
    edit: lazy(() => import('./EditSponsor.tsx')),
  },
  {
    lists: { sponsor: lazy(() => import('./ManageSponsors.tsx')) },
    offers: [
      offer(userTabSlot, {
        key: 'sponsor',
        label: 'Sponsor',
        needs: 'manageSponsor',
        load: lazyPart(() => import('./PersonSponsor.tsx').then((file) => ({ default: file.PersonSponsor }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
