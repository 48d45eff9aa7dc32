import { lazy, show } from '#core/console/show.ts'
import type { setup } from '../contract.ts'

export default show<typeof setup>(
  'setup',
  {
    bootstrap: lazy(() => import('./BootstrapMode.tsx')),
    addTenancy: lazy(() => import('./AddTenancy.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
