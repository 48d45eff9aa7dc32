import type { WorkKind } from '#core/console/slots.ts'
import { archive } from '../contract.ts'

const { vote: call } = archive.calls

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'keyRecovery',
    title: 'Recoveries of keys',
    actions: { approve: { call, label: 'Approve' }, deny: { call, label: 'Deny', danger: true } },
  },
]
