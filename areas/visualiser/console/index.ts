import { lazy, show } from '#core/console/show.ts'
import type { visualiser } from '../contract.ts'

export default show<typeof visualiser>(
  'visualiser',
  { map: lazy(() => import('./PkiVisualiser.tsx')) },
  { help: () => import('./help.md?raw') },
)
