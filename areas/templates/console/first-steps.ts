import type { FirstStep } from '#core/console/slots.ts'
import { templates } from '../contract.ts'
import { createPath } from './paths.ts'

export const steps: readonly FirstStep[] = [
  {
    step: 'template',
    needs: templates.screens.manage.needs,
    says: 'Offer a template',
    why: 'It says what a certificate is for',
    path: createPath(),
  },
]
