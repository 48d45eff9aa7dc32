import { lazy, show } from '#core/console/show.ts'
import type { protocolRoom } from '../contract.ts'

export default show<typeof protocolRoom>(
  'protocols',
  {
    scep: lazy(() => import('./Scep.tsx')),
    addScep: lazy(() => import('./AddScep.tsx')),
    editScep: lazy(() => import('./EditProfile.tsx')),
    intune: lazy(() => import('./Intune.tsx')),
    est: lazy(() => import('./Est.tsx')),
    addEst: lazy(() => import('./AddEst.tsx')),
    editEst: lazy(() => import('./EditProfile.tsx')),
    cmp: lazy(() => import('./Cmp.tsx')),
    addCmp: lazy(() => import('./AddCmp.tsx')),
    editCmp: lazy(() => import('./EditProfile.tsx')),
    windows: lazy(() => import('./Windows.tsx')),
    addWindows: lazy(() => import('./AddWindows.tsx')),
    editWindows: lazy(() => import('./EditProfile.tsx')),
    windowsPassword: lazy(() => import('./WindowsPassword.tsx')),
    tpmAttempts: lazy(() => import('./TpmAttempts.tsx')),
    requestChallenge: lazy(() => import('./RequestChallenge.tsx')),
    retrieveChallenge: lazy(() => import('./RetrieveChallenge.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
