import { lazy, show } from '#core/console/show.ts'
import type { applets } from '../contract.ts'

export default show<typeof applets>(
  'applets',
  {
    list: lazy(() => import('./Applets.tsx')),
    hardware: lazy(() => import('./Hardware.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
