import type { WorkKind } from '#core/console/slots.ts'
import { certificates } from '../contract.ts'

const { decide: call } = certificates.calls

export const workOfThisRoom: readonly WorkKind[] = [
  {
    kind: 'certificateRequest',
    title: 'Requests for a certificate',
    one: 'Request for a certificate',
    actions: {
      approve: {
        call,
        label: 'Approve',
        done: 'Approved',
        asks: 'If nobody else has to agree, the certificate is issued at once as it was asked for. The page of the request shows what would be in it.',
      },
      deny: { call, label: 'Deny', done: 'Denied', danger: true },
    },
  },
]
