import type { WorkKind } from '#core/console/slots.ts'
import { archive } from '../contract.ts'

const { vote: call } = archive.calls

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'keyRecovery',
    title: 'Recoveries of keys',
    one: 'Recovery of a key',
    actions: {
      approve: {
        call,
        label: 'Approve',
        done: 'Approved',
        asks: 'If nobody else has to agree, the key can be collected at once by who asked.',
      },
      deny: { call, label: 'Deny', done: 'Denied', danger: true },
    },
  },
]
