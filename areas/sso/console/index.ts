import { lazy as lazyPart } from 'react'
import { signInWays } from '#areas/sessions/ways.ts'
import { userTabSlot } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { sso } from '../contract.ts'

export default show<typeof sso>(
  'sso',
  {
    list: lazy(() => import('./Providers.tsx')),
    add: lazy(() => import('./AddProvider.tsx')),
    view: lazy(() => import('./ViewProvider.tsx')),
    edit: lazy(() => import('./EditProvider.tsx')),
    tried: lazy(() => import('./Tried.tsx')),
    portal: lazy(() => import('./Portal.tsx')),
  },
  {
    offers: [
      offer(signInWays, {
        key: 'sso',
        load: lazyPart(() => import('./SsoSignIn.tsx').then((file) => ({ default: file.SsoSignIn }), chunkFailed)),
      }),
      offer(userTabSlot, {
        key: 'sso',
        label: 'Single sign-on',
        needs: 'userView',
        load: lazyPart(() => import('./Identities.tsx').then((file) => ({ default: file.Identities }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
