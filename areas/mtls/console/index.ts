import { lazy as lazyPart } from 'react'
import { accountParts, signInWays } from '#areas/sessions/ways.ts'
import { userTabSlot } from '#areas/users/user-tabs.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { mtls } from '../contract.ts'

export default show<typeof mtls>(
  'mtls',
  {
    policy: lazy(() => import('./Policy.tsx')),
    arrival: lazy(() => import('./Arrival.tsx')),
  },
  {
    offers: [
      offer(signInWays, {
        key: 'certificate',
        load: lazyPart(() => import('./CertificateButton.tsx').then((file) => ({ default: file.CertificateButton }), chunkFailed)),
      }),
      offer(accountParts, {
        key: 'certificates',
        load: lazyPart(() => import('./OwnCertificates.tsx').then((file) => ({ default: file.OwnCertificates }), chunkFailed)),
      }),
      offer(userTabSlot, {
        key: 'certificateSignIn',
        label: 'Certificate sign-in',
        needs: 'userView',
        load: lazyPart(() => import('./SignInCertificates.tsx').then((file) => ({ default: file.SignInCertificates }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
