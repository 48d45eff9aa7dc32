import { lazy, show } from '#core/console/show.ts'
import type { configuration } from '../contract.ts'

export default show<typeof configuration>(
  'configuration',
  {
    values: lazy(() => import('./KeyValues.tsx')),
    infrastructure: lazy(() => import('./Infrastructure.tsx')),
    installation: lazy(() => import('./Installation.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
