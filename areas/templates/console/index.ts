import type { templates } from '#areas/templates/contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof templates>(
  'templates',
  { manage: lazy(() => import('./Templates.tsx')), system: lazy(() => import('./SystemTemplates.tsx')) },
  { help: () => import('./help.md?raw') },
)
