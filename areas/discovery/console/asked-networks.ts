// What other tenancies ask to scan, as it waits for those who decide.

import type { WorkKind } from '#core/console/slots.ts'
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
