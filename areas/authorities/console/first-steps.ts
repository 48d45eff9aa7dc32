import type { FirstStep } from '#core/console/slots.ts'
import { to } from '#core/contract/paths.ts'
import { authorities } from '../contract.ts'

export const steps: readonly FirstStep[] = [
  {
    step: 'authority',
    needs: authorities.screens.manage.needs,
    says: 'Make an authority',
    why: 'It signs the certificates',
    path: to(authorities.screens.manage),
  },
]
