import { lazy, show } from '#core/console/show.ts'
import type { cardrequests } from '../contract.ts'

export default show<typeof cardrequests>(
  'cardrequests',
  {
    request: lazy(() => import('./RequestCards.tsx')),
    list: lazy(() => import('./RequestList.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
