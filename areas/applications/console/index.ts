import { lazy, show } from '#core/console/show.ts'
import type { applications } from '../contract.ts'

export default show<typeof applications>(
  'applications',
  {
    list: lazy(() => import('./Applications.tsx')),
    add: lazy(() => import('./AddApplication.tsx')),
    view: lazy(() => import('./ViewApplication.tsx')),
    edit: lazy(() => import('./EditApplication.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
