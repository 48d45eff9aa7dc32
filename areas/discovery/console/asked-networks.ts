// What other tenancies ask to scan, as it waits for those who decide.

import type { WaitingKind, WorkKind } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { discovery } from '../contract.ts'

const { decideAsked: call } = discovery.calls

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'scanNetwork',
    title: 'Networks to scan',
    one: 'Network to scan',
    actions: {
      allow: {
        call,
        label: 'Allow',
        done: 'Allowed to be scanned',
        asks: 'The tenancy that asks may have this server connect to every address in it from then on.',
      },
      refuse: { call, label: 'Refuse', done: 'Refused to be scanned', danger: true },
    },
  },
]

export const waitingWork: readonly WaitingKind[] = [
  {
    kind: 'scanNetwork',
    needs: 'infrastructureConfig',
    path: to(discovery.screens.config, { provider: 'allowed' }),
    says: (count) =>
      t('{count, plural, one {# network to scan waits for a decision} other {# networks to scan wait for a decision}}', { count }),
  },
]
