import type { WaitingKind } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { tickets } from '../contract.ts'

const { held } = tickets.screens

export const waitingWork: readonly WaitingKind[] = [
  {
    kind: 'heldMail',
    needs: held.needs,
    path: to(held),
    says: (count) => t('{count, plural, one {# mail about tickets is held} other {# mails about tickets are held}}', { count }),
  },
]
