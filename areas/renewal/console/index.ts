import { IconRefresh } from '@tabler/icons-react'
import { bulkActionSlot } from '#areas/bulk/bulk-actions.tsx'
import { certificateLinkSlot } from '#areas/certificates/certificate-actions.ts'
import { certificatePartSlot } from '#areas/certificates/certificate-parts.ts'
import { certificateSlot } from '#areas/certificates/certificate-slot.tsx'
import type { renewal } from '#areas/renewal/contract.ts'
import { lazy, show } from '#core/console/show.ts'
import { homePanels } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import { renewAction, renewalPath } from '../early-paths.ts'

export default show<typeof renewal>(
  'renewal',
  {
    view: lazy(() => import('./ViewRenewal.tsx')),
    list: lazy(() => import('./RenewalList.tsx')),
  },
  {
    offers: [
      offer(certificatePartSlot, { key: 'renewal', forHolders: true, load: certificateSlot(() => import('./RenewalPart.tsx')) }),
      offer(certificateLinkSlot, {
        key: 'renewal',
        label: () => t('Renewal'),
        to: ({ certificateId, caId, status, renewed }) =>
          caId === undefined || renewed || !['active', 'expiring', 'expired'].includes(status)
            ? undefined
            : to({ path: renewalPath }, { certId: certificateId }),
      }),
      offer(bulkActionSlot, {
        action: renewAction,
        list: 'certificates.inventory',
        label: () => t('Renew certificates'),
        icon: IconRefresh,
        invalidates: ['certificates', 'renewal', 'home'],
        texts: () => import('./renew-many.tsx').then(({ renewTexts }) => renewTexts),
      }),
      offer(homePanels, { key: 'mine', title: 'My certificates', order: 30, load: lazy(() => import('./HeldAtHome.tsx')) }),
    ],
    help: () => import('./help.md?raw'),
  },
)
