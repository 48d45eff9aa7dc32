import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, PageQuery, pageOf } from '#core/contract/shapes.ts'

export const Waiting = z.object({
  approvalId: Id,
  kind: z.string(),
  subjectId: Id,
  title: z.string(),
  requester: z.string(),
  openedAt: Instant,
  approvals: z.number().int(),
  needed: z.number().int(),
})

export const approvals = contract({
  area: 'approvals',
  title: 'Approvals',
  calls: {
    waiting: {
      does: 'Lists what waits for a decision of the caller, of every kind, with how many have agreed.',
      method: 'POST',
      path: '/api2/PKI-v1/SearchWaitingApprovals',
      needs: 'signedIn',
      tokens: ['certApprovals', 'certRevokeView'],
      reads: true,
      input: PageQuery,
      output: pageOf(Waiting),
      failed: 'What waits for you could not be read',
    },
  },
})
