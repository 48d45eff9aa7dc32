import type { templates } from '#areas/templates/contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof templates>(
  'templates',
  { manage: lazy(() => import('./Templates.tsx')), system: lazy(() => import('./SystemTemplates.tsx')) },
  {
    records: {
      template: {
        label: 'Templates',
        needs: 'manageCAs',
        find: async (text, signal) => (await import('./find.ts')).findTemplates(text, signal),
      },
    },
    help: () => import('./help.md?raw'),
  },
)
