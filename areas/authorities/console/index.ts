import type { authorities } from '#areas/authorities/contract.ts'
import { lazy, show } from '#core/console/show.ts'
import { firstSteps, homePanels } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'

export default show<typeof authorities>(
  'authorities',
  {
    manage: lazy(() => import('./Authorities.tsx')),
    renew: lazy(() => import('./RenewAuthority.tsx')),
    cross: lazy(() => import('./CrossCertify.tsx')),
    offline: lazy(() => import('./AddOffline.tsx')),
  },
  {
    lists: { authority: lazy(() => import('./AuthorityList.tsx')) },
    offers: [
      offer(firstSteps, async () => (await import('./first-steps.ts')).steps),

      offer(homePanels, {
        key: 'authorities',
        title: 'Authorities',
        needs: 'manageCAs',
        order: 70,
        load: lazy(() => import('./AuthoritiesPanel.tsx')),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
