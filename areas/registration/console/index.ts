import { IconForms } from '@tabler/icons-react'
import { creationWays } from '#areas/users/creation-ways.ts'
import { lazy, show } from '#core/console/show.ts'
import { workWaiting } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { registration } from '../contract.ts'

export default show<typeof registration>(
  'registration',
  {
    register: lazy(() => import('./Register.tsx')),
    finish: lazy(() => import('./FinishRegister.tsx')),
    settings: lazy(() => import('./RegistrationSettings.tsx')),
    list: lazy(() => import('./Registrations.tsx')),
  },
  {
    offers: [
      offer(workWaiting, async () => (await import('./waiting-work.ts')).waitingWork),
      offer(creationWays, {
        key: 'registration',
        says: 'Let people register',
        hint: 'The page for it, who may, and which roles they get',
        area: 'registration',
        screen: 'settings',
        order: 50,
        icon: IconForms,
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
