import { certificates } from '#areas/certificates/contract.ts'
import { health } from '#areas/health/contract.ts'
import { send } from '#core/console/send.ts'
import type { WaitingWork } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { home } from '../contract.ts'
import { waitingDeeds } from './waiting-deeds.ts'

/** For the bell: what this person has to decide. */
export async function waitingWork(signal: AbortSignal): Promise<WaitingWork[]> {
  const { approvals = 0, authorities = 0, revocations } = await send(home.calls.waiting, {}, { signal })
  return [
    {
      count: approvals,
      path: to(certificates.screens.approvals),
      says: t('{count, plural, one {# request waits for your approval} other {# requests wait for your approval}}', { count: approvals }),
    },
    ...waitingDeeds({ revocations }),
    {
      count: authorities,
      path: to(health.screens.overview, {}, { state: ['failing', 'late'] }),
      says: t('{count, plural, one {# authority needs attention} other {# authorities need attention}}', { count: authorities }),
    },
  ]
}
