import { lazy as lazyPart } from 'react'
import type { renewal } from '#areas/renewal/contract.ts'
import { offerCertificatePart } from '#areas/certificates/certificate-parts.ts'
import { lazy, show } from '#core/console/show.ts'

offerCertificatePart({ key: 'renewal', load: lazyPart(() => import('./RenewalPart.tsx').then(({ RenewalPart }) => ({ default: RenewalPart }))) })

export default show<typeof renewal>(
  'renewal',
  {
    view: lazy(() => import('./ViewRenewal.tsx')),
    list: lazy(() => import('./RenewalList.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
