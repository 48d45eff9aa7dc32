import { lazy, show } from '#core/console/show.ts'
import type { facilities } from '../contract.ts'

export default show<typeof facilities>(
  'facilities',
  { search: lazy(() => import('./Directory.tsx')) },
  { help: () => import('./help.md?raw') },
)
