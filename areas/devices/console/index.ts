import { lazy, show } from '#core/console/show.ts'
import type { devices } from '../contract.ts'

export default show<typeof devices>(
  'devices',
  {
    add: lazy(() => import('./AddDevice.tsx')),
    clone: lazy(() => import('./CloneDevice.tsx')),
    batch: lazy(() => import('./ImportDevices.tsx')),
    view: lazy(() => import('./ViewDevice.tsx')),
    edit: lazy(() => import('./EditDevice.tsx')),
    conflicts: lazy(() => import('./Conflicts.tsx')),
    sources: lazy(() => import('./Sources.tsx')),
    types: lazy(() => import('./Types.tsx')),
  },
  {
    lists: { device: lazy(() => import('./DeviceList.tsx')) },
    help: () => import('./help.md?raw'),
  },
)
