import type { FirstStep } from '#core/console/slots.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'

export const steps: readonly FirstStep[] = [
  {
    step: 'certificate',
    needs: certificates.screens.uploadForDevice.needs,
    says: 'Issue the first certificate',
    why: 'Paste a request, or let the server make the key',
    path: to(certificates.screens.uploadForDevice),
  },
  {
    step: 'approval',
    needs: certificates.screens.approvals.needs,
    says: 'Decide a request',
    why: 'For templates that ask for approval',
    path: to(certificates.screens.approvals),
  },
]
