import { IconFingerprint } from '@tabler/icons-react'
import { lazy as lazyPart } from 'react'
import { accountParts, proofWays, signInWays } from '#areas/sessions/ways.ts'
import { userTabSlot } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { selfTabs, selfTasks } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { passkeys } from '../contract.ts'

export default show<typeof passkeys>(
  'passkeys',
  {
    list: lazy(() => import('./Passkeys.tsx')),
    policy: lazy(() => import('./Policy.tsx')),
  },
  {
    offers: [
      offer(signInWays, {
        key: 'passkey',
        load: lazyPart(() => import('./PasskeySignIn.tsx').then((file) => ({ default: file.PasskeySignIn }), chunkFailed)),
      }),
      offer(proofWays, {
        key: 'passkey',
        load: lazyPart(() => import('./PasskeyProof.tsx').then((file) => ({ default: file.PasskeyProof }), chunkFailed)),
      }),
      offer(accountParts, {
        key: 'passkeys',
        load: lazyPart(() => import('./AccountPasskeys.tsx').then((file) => ({ default: file.AccountPasskeys }), chunkFailed)),
      }),
      offer(userTabSlot, {
        key: 'passkeys',
        label: 'Passkeys',
        needs: 'userView',
        load: lazyPart(() => import('./PasskeyList.tsx').then((file) => ({ default: file.PasskeyList }), chunkFailed)),
      }),
      offer(selfTabs, {
        key: 'passkeys',
        label: 'Passkeys',
        area: 'passkeys',
        screen: 'list',
        params: { userID: 'me' },
        order: 30,
        icon: IconFingerprint,
      }),
      offer(selfTasks, {
        key: 'passkeys',
        order: 30,
        load: lazyPart(() => import('./PasskeyTask.tsx').then((file) => ({ default: file.PasskeyTask }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
