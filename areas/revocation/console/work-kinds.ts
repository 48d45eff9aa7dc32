import type { WorkKind } from '#core/console/slots.ts'
import { revocation } from '../contract.ts'

const { vote: call } = revocation.calls

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'revocation',
    title: 'Revocations, holds and releases',
    actions: { approve: { call, label: 'Approve' }, deny: { call, label: 'Deny', danger: true } },
  },
]
