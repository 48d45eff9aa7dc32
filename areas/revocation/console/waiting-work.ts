// What was asked about certificates that stand already, and waits: each kind by its own name, leading to the list of just those.

import type { WaitingKind } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'
import type { Action } from '../rules.ts'

const labels: Record<Action, (count: number) => string> = {
  revocation: (count) => t('{count, plural, one {# revocation waits for a decision} other {# revocations wait for a decision}}', { count }),
  hold: (count) => t('{count, plural, one {# hold waits for a decision} other {# holds wait for a decision}}', { count }),
  release: (count) =>
    t('{count, plural, one {# release from hold waits for a decision} other {# releases from hold wait for a decision}}', { count }),
}

export const waitingWork: readonly WaitingKind[] = Object.entries(labels).map(([action, says]) => ({
  kind: action,
  needs: 'certRevokeView',
  title: 'Waiting for a decision',
  path: to(revocation.screens.searchPending, {}, { states: 'pending', actions: action }),
  says,
}))
