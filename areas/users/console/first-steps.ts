import type { FirstStep } from '#core/console/slots.ts'
import { to } from '#core/contract/paths.ts'
import { users } from '../contract.ts'

export const steps: readonly FirstStep[] = [
  {
    step: 'person',
    needs: users.screens.add.needs,
    says: 'Add a second person',
    why: 'Nobody approves their own requests',
    path: to(users.screens.add),
  },
]
