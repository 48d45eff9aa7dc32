import type { WaitingKind } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { health } from '../contract.ts'

export const waitingWork: readonly WaitingKind[] = [
  {
    kind: 'authorities',
    needs: 'monitor',
    title: 'Authorities that need attention',
    path: to(health.screens.overview, {}, { state: ['failing', 'late'] }),
    says: (count) => t('{count, plural, one {# authority needs attention} other {# authorities need attention}}', { count }),
  },
]
