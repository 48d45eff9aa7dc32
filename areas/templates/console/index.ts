import type { templates } from '#areas/templates/contract.ts'
import { lazy, show } from '#core/console/show.ts'
import { firstSteps } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'

export default show<typeof templates>(
  'templates',
  { manage: lazy(() => import('./Templates.tsx')), system: lazy(() => import('./SystemTemplates.tsx')) },
  { offers: [offer(firstSteps, async () => (await import('./first-steps.ts')).steps)], help: () => import('./help.md?raw') },
)
