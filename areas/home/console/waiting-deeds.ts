// What was asked about certificates that stand already, and waits: each kind by its own name, leading to the list of just those.

import { revocation } from '#areas/revocation/contract.ts'
import { deeds, type Deed } from '#areas/revocation/rules.ts'
import type { WaitingWork } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import type { home } from '../contract.ts'

const words: Record<Deed, (count: number) => string> = {
  revocation: (count) => t('{count, plural, one {# revocation waits for a decision} other {# revocations wait for a decision}}', { count }),
  hold: (count) => t('{count, plural, one {# hold waits for a decision} other {# holds wait for a decision}}', { count }),
  release: (count) =>
    t('{count, plural, one {# release from hold waits for a decision} other {# releases from hold wait for a decision}}', { count }),
}

export const waitingDeeds = ({ revocations }: Pick<OutputOf<typeof home.calls.waiting>, 'revocations'>): WaitingWork[] =>
  deeds.map((deed) => {
    const count = revocations?.[deed] ?? 0
    return { count, path: to(revocation.screens.searchPending, {}, { states: 'pending', deeds: deed }), says: words[deed](count) }
  })
