import { IconDevices, IconDeviceMobile, IconLock, IconUser } from '@tabler/icons-react'
import { lazy as lazyTab } from 'react'
import { userTabSlot } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { proofDialogs, selfActions, selfTabs } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { sessions } from '../contract.ts'

export default show<typeof sessions>(
  'sessions',
  {
    login: lazy(() => import('./Login.tsx')),
    activate: lazy(() => import('./ActivateAccount.tsx')),
    account: lazy(() => import('./Account.tsx')),
    changePassword: lazy(() => import('./ChangePassword.tsx')),
    ownSessions: lazy(() => import('./OwnSessionsPage.tsx')),
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
      offer(selfTabs, { key: 'account', label: 'Account', area: 'sessions', screen: 'account', order: 90, icon: IconUser }),
      offer(
        selfActions,
        {
          key: 'password',
          says: 'I want to change my password',
          area: 'sessions',
          screen: 'changePassword',
          order: 30,
          icon: IconLock,
        },
        {
          key: 'phone',
          says: 'I have a new telephone',
          hint: 'Move your sign-in code to it',
          area: 'sessions',
          screen: 'account',
          order: 50,
          icon: IconDeviceMobile,
        },
        {
          key: 'sessions',
          says: 'Where am I signed in?',
          hint: 'Sign out elsewhere, or everywhere',
          area: 'sessions',
          screen: 'ownSessions',
          order: 60,
          icon: IconDevices,
        },
      ),
    ],
    help: () => import('./help.md?raw'),
  },
)
