import type { WorkKind } from '#core/console/slots.ts'
import { revocation } from '../contract.ts'

const { vote: call } = revocation.calls

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'revocation',
    title: 'Revocations, holds and releases',
    one: 'Revocation, hold or release',
    actions: {
      approve: {
        call,
        label: 'Approve',
        done: 'Approved',
        asks: 'If nobody else has to agree, it is done at once. A revocation cannot be taken back.',
      },
      deny: { call, label: 'Deny', done: 'Denied', danger: true },
    },
  },
]
