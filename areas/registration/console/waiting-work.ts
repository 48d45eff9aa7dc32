import type { WaitingKind } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { registration } from '../contract.ts'

export const waitingWork: readonly WaitingKind[] = [
  {
    kind: 'registration',
    needs: registration.screens.list.needs,
    title: 'Waiting for a decision',
    path: to(registration.screens.list, {}, { state: 'waiting' }),
    says: (count) => t('{count, plural, one {# person waits for an account} other {# people wait for an account}}', { count }),
  },
]
