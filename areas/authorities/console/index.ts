import type { authorities } from '#areas/authorities/contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof authorities>(
  'authorities',
  {
    manage: lazy(() => import('./Authorities.tsx')),
    renew: lazy(() => import('./RenewAuthority.tsx')),
    cross: lazy(() => import('./CrossCertify.tsx')),
    offline: lazy(() => import('./AddOffline.tsx')),
  },
  {
    panels: { authorities: { title: 'Authorities', needs: 'manageCAs', order: 50, load: lazy(() => import('./AuthoritiesPanel.tsx')) } },
    records: {
      authority: {
        label: 'Authorities',
        needs: 'manageCAs',
        find: async (text, signal) => (await import('./find.ts')).findAuthorities(text, signal),
      },
    },
    help: () => import('./help.md?raw'),
  },
)
