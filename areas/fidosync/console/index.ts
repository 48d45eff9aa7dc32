import { lazy, show } from '#core/console/show.ts'
import type { fidosync } from '../contract.ts'

export default show<typeof fidosync>(
  'fidosync',
  {
    view: lazy(() => import('./SyncedCredential.tsx')),
    provider: lazy(() => import('./FidoProvider.tsx')),
  },
  {
    lists: { fido: lazy(() => import('./SyncedCredentials.tsx')) },
    help: () => import('./help.md?raw'),
  },
)
