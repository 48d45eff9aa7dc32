import { IconId } from '@tabler/icons-react'
import { portalPages } from '#areas/portal/pages.ts'
import { lazy, show } from '#core/console/show.ts'
import { selfActions, selfTabs } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { smartcards } from '../contract.ts'

export default show<typeof smartcards>(
  'smartcards',
  {
    desk: lazy(() => import('./CardDesk.tsx')),
    view: lazy(() => import('./CardView.tsx')),
    edit: lazy(() => import('./EditCard.tsx')),
    suspensions: lazy(() => import('./Suspensions.tsx')),
    reports: lazy(() => import('./CardReports.tsx')),
    own: lazy(() => import('./MyCards.tsx')),
    anonymous: lazy(() => import('./ManageCard.tsx')),
    templates: lazy(() => import('./CardTemplates.tsx')),
    attestation: lazy(() => import('./Attestation.tsx')),
    addTemplate: lazy(() => import('./AddCardTemplate.tsx')),
    editTemplate: lazy(() => import('./EditCardTemplate.tsx')),
  },
  {
    lists: { smartcard: lazy(() => import('./CardList.tsx')) },
    offers: [
      offer(portalPages, {
        label: 'Manage a smartcard',
        hint: 'Change the PIN of your card, or unblock it',
        area: 'smartcards',
        screen: 'anonymous',
      }),
      offer(selfTabs, { key: 'smartcards', label: 'Cards', area: 'smartcards', screen: 'own', order: 25, icon: IconId }),
      offer(selfActions, {
        key: 'lostCard',
        says: 'I lost my smartcard',
        hint: 'Report it at once, from anywhere',
        area: 'smartcards',
        screen: 'own',
        order: 40,
        icon: IconId,
      }),
      offer(selfActions, {
        key: 'cardPin',
        says: 'I forgot the PIN of my smartcard',
        area: 'smartcards',
        screen: 'own',
        order: 42,
        icon: IconId,
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
