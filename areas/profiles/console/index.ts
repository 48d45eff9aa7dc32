import { IconFileImport } from '@tabler/icons-react'
import { lazy as lazyPart } from 'react'
import { accountParts } from '#areas/sessions/ways.ts'
import { creationWays } from '#areas/users/creation-ways.ts'
import { userEditSlot, userTabSlot } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { profiles } from '../contract.ts'

export default show<typeof profiles>(
  'profiles',
  { import: lazy(() => import('./ImportUsers.tsx')), merge: lazy(() => import('./MergeUsers.tsx')) },
  {
    offers: [
      offer(
        userTabSlot,
        {
          key: 'details',
          label: 'Details',
          load: lazyPart(() => import('./Details.tsx').then((file) => ({ default: file.Details }), chunkFailed)),
        },
        {
          key: 'reads',
          label: 'Who read the data',
          needs: 'audit',
          load: lazyPart(() => import('./Reads.tsx').then((file) => ({ default: file.Reads }), chunkFailed)),
        },
      ),
      offer(creationWays, {
        key: 'import',
        says: 'Import a CSV file',
        hint: 'Checked in full before anybody is added, and undone for a day',
        area: 'profiles',
        screen: 'import',
        order: 20,
        icon: IconFileImport,
      }),
      offer(accountParts, {
        key: 'reads',
        load: lazyPart(() => import('./OwnReads.tsx').then((file) => ({ default: file.OwnReads }), chunkFailed)),
      }),
      offer(userEditSlot, {
        key: 'attributes',
        load: lazyPart(() => import('./EditDetails.tsx').then((file) => ({ default: file.EditDetails }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
