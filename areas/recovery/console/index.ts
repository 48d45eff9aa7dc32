import { lazy as lazyPart } from 'react'
import { signInWays } from '#areas/sessions/ways.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { recovery } from '../contract.ts'

export default show<typeof recovery>(
  'recovery',
  {
    request: lazy(() => import('./ForgotPassword.tsx')),
    reset: lazy(() => import('./ResetPassword.tsx')),
  },
  {
    offers: [
      offer(signInWays, {
        key: 'forgotten',
        load: lazyPart(() => import('./ForgottenLink.tsx').then((file) => ({ default: file.ForgottenLink }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
