import type { archive } from '#areas/archive/contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof archive>(
  'archive',
  { keys: lazy(() => import('./KeyArchive.tsx')), recoveries: lazy(() => import('./KeyRecoveries.tsx')) },
  { help: () => import('./help.md?raw') },
)
