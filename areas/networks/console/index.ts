import { lazy, show } from '#core/console/show.ts'
import type { networks } from '../contract.ts'

export default show<typeof networks>(
  'networks',
  {
    ipam: lazy(() => import('./Addresses.tsx')),
    networks: lazy(() => import('./Networks.tsx')),
    locations: lazy(() => import('./Locations.tsx')),
    visitorLocations: lazy(() => import('./VisitorLocations.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
