import { lazy as lazyTab } from 'react'
import { offerUserTab } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import type { sessions } from '../contract.ts'

offerUserTab({
  key: 'signIn',
  label: 'Sign-in',
  needs: 'userView',
  load: lazyTab(() => import('./UserSignIn.tsx').then((file) => ({ default: file.UserSignIn }), chunkFailed)),
})

export default show<typeof sessions>(
  'sessions',
  {
    login: lazy(() => import('./Login.tsx')),
    activate: lazy(() => import('./ActivateAccount.tsx')),
    account: lazy(() => import('./Account.tsx')),
    changePassword: lazy(() => import('./ChangePassword.tsx')),
    tokens: lazy(() => import('./Tokens.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
