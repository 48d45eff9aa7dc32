import type { WaitingKind } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'

const { approvals } = certificates.screens

export const waitingWork: readonly WaitingKind[] = [
  {
    kind: 'approvals',
    needs: approvals.needs,
    path: to(approvals),
    says: (count) => t('{count, plural, one {# request waits for your approval} other {# requests wait for your approval}}', { count }),
  },
]
