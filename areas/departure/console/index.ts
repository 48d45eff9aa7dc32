import { lazy, show } from '#core/console/show.ts'
import type { departure } from '../contract.ts'

export default show<typeof departure>(
  'departure',
  { config: lazy(() => import('./Departure.tsx')) },
  { help: () => import('./help.md?raw') },
)
