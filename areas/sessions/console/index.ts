import type { sessions } from '../contract.ts'
import { lazy, show } from '#core/console/show.ts'

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
