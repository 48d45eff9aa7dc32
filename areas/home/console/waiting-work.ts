import { to } from '#core/contract/paths.ts'
import type { WaitingWork } from '#core/console/show.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { health } from '#areas/health/contract.ts'
import { revocation } from '#areas/revocation/contract.ts'
import { home } from '../contract.ts'

/** For the bell: what this person has to decide. */
export async function waitingWork(signal: AbortSignal): Promise<WaitingWork[]> {
  const { approvals = 0, revocations = 0, authorities = 0 } = await send(home.calls.waiting, {}, { signal })
  return [
    { count: approvals, path: to(certificates.screens.approvals), says: t('{count, plural, one {# request waits for your approval} other {# requests wait for your approval}}', { count: approvals }) },
    { count: revocations, path: to(revocation.screens.searchPending, {}, { states: 'pending' }), says: t('{count, plural, one {# revocation waits for a decision} other {# revocations wait for a decision}}', { count: revocations }) },
    { count: authorities, path: to(health.screens.overview, {}, { state: ['failing', 'late'] }), says: t('{count, plural, one {# authority needs attention} other {# authorities need attention}}', { count: authorities }) },
  ]
}
