import type { FirstStep } from '#core/console/slots.ts'
import { authorities } from '../contract.ts'
import { createPath } from './paths.ts'

export const steps: readonly FirstStep[] = [
  {
    step: 'authority',
    needs: authorities.screens.manage.needs,
    says: 'Create an authority',
    why: 'It signs the certificates',
    path: createPath(),
  },
]
