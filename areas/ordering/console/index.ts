import { acmeTabSlot } from '#areas/acme/acme-tabs.ts'
import { certificatePartSlot } from '#areas/certificates/certificate-parts.ts'
import { certificateSlot } from '#areas/certificates/certificate-slot.tsx'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { ordering } from '../contract.ts'

export default show<typeof ordering>(
  'ordering',
  {
    upload: lazy(() => import('./Orders.tsx')),
    addOrder: lazy(() => import('./AddOrder.tsx')),
    order: lazy(() => import('./ViewOrder.tsx')),
    addAuthority: lazy(() => import('./AddAuthority.tsx')),
    editAuthority: lazy(() => import('./EditAuthority.tsx')),
    addResponder: lazy(() => import('./AddResponder.tsx')),
    editResponder: lazy(() => import('./EditResponder.tsx')),
  },
  {
    offers: [
      offer(
        acmeTabSlot,
        { key: 'external', label: 'External authorities', load: lazy(() => import('./Authorities.tsx')) },
        { key: 'responders', label: 'DNS responders', load: lazy(() => import('./Responders.tsx')) },
      ),
      offer(certificatePartSlot, { key: 'ordering', load: certificateSlot(() => import('./OrderPart.tsx')) }),
    ],
    help: () => import('./help.md?raw'),
  },
)
