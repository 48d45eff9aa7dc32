import { lazy as lazyTab } from 'react'
import { userTabSlot } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { proofDialogs } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { sessions } from '../contract.ts'

export default show<typeof sessions>(
  'sessions',
  {
    login: lazy(() => import('./Login.tsx')),
    activate: lazy(() => import('./ActivateAccount.tsx')),
    account: lazy(() => import('./Account.tsx')),
    changePassword: lazy(() => import('./ChangePassword.tsx')),
    tokens: lazy(() => import('./Tokens.tsx')),
  },
  {
    offers: [
      offer(
        proofDialogs,
        lazyTab(() => import('./ProofDialog.tsx').then((file) => ({ default: file.ProofDialog }), chunkFailed)),
      ),
      offer(userTabSlot, {
        key: 'signIn',
        label: 'Sign-in',
        needs: 'userView',
        load: lazyTab(() => import('./UserSignIn.tsx').then((file) => ({ default: file.UserSignIn }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
