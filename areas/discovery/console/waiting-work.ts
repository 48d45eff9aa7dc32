import type { WaitingKind } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { configScreen } from '../config-screen.ts'

export const waitingWork: readonly WaitingKind[] = [
  {
    kind: 'scanNetwork',
    needs: 'infrastructureConfig',
    path: to(configScreen, { provider: 'allowed' }),
    says: (count) =>
      t('{count, plural, one {# network to scan waits for a decision} other {# networks to scan wait for a decision}}', { count }),
  },
]
