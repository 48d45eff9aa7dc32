import type { WorkKind } from '#core/console/slots.ts'
import { certificates } from '../contract.ts'

const { decide: call } = certificates.calls

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'certificateRequest',
    title: 'Requests for a certificate',
    actions: { approve: { call, label: 'Approve' }, deny: { call, label: 'Deny', danger: true } },
  },
]
