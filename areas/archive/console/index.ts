import type { archive } from '#areas/archive/contract.ts'
import { lazy, show } from '#core/console/show.ts'
import { workKinds } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'

export default show<typeof archive>(
  'archive',
  { keys: lazy(() => import('./KeyArchive.tsx')), recoveries: lazy(() => import('./KeyRecoveries.tsx')) },
  {
    offers: [offer(workKinds, async () => (await import('./work-kinds.ts')).workOfThisRoom)],
    help: () => import('./help.md?raw'),
  },
)
