import { lazy as lazyPart } from 'react'
import { userTabSlot } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { organisations } from '../contract.ts'

export default show<typeof organisations>(
  'organisations',
  {
    tree: lazy(() => import('./TreeOrganisations.tsx')),
    add: lazy(() => import('./AddOrganisation.tsx')),
    import: lazy(() => import('./ImportOrganisations.tsx')),
    view: lazy(() => import('./ViewOrganisation.tsx')),
    edit: lazy(() => import('./EditOrganisation.tsx')),
    permissions: lazy(() => import('./Permissions.tsx')),
  },
  {
    lists: { organisation: lazy(() => import('./OrganisationList.tsx')) },
    offers: [
      offer(userTabSlot, {
        key: 'organisations',
        label: 'Organisations',
        needs: 'orgView',
        load: lazyPart(() => import('./PersonOrganisations.tsx').then((file) => ({ default: file.PersonOrganisations }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
