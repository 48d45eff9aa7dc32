import type { FirstStep } from '#core/console/slots.ts'
import { to } from '#core/contract/paths.ts'
import { tenancy } from '../contract.ts'

export const steps: readonly FirstStep[] = [
  {
    step: 'support',
    needs: tenancy.screens.config.needs,
    says: 'Name a support address',
    why: 'Shown wherever somebody may need help',
    path: to(tenancy.screens.config),
  },
]
