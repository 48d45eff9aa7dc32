import { lazy, show } from '#core/console/show.ts'
import type { scim } from '../contract.ts'

export default show<typeof scim>(
  'scim',
  {
    list: lazy(() => import('./ScimSources.tsx')),
    view: lazy(() => import('./ScimSource.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
