import type { keys } from '#areas/keys/contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof keys>(
  'keys',
  {
    tokens: lazy(() => import('./TokenList.tsx')),
    register: lazy(() => import('./RegisterToken.tsx')),
    edit: lazy(() => import('./EditToken.tsx')),
    token: lazy(() => import('./TokenPage.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
