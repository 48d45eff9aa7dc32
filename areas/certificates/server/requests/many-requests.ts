// Many requests decided on or withdrawn at once, each by the way of the single call.

import * as z from 'zod'
import { subjectsWaitingFor } from '#areas/approvals/service.ts'
import { bulkAction, faultsOf, oneByOne, type Selected } from '#areas/bulk/service.ts'
import { Paragraph } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { Viewer } from '#core/server/serve.ts'
import { certificates } from '../../contract.ts'
import { approvalKind, decideAction, withdrawAction } from '../../rules.ts'
import { RequestStatusName } from '../../shapes.ts'
import { chosenRequests, findRequest, withdrawableRequests } from './request-store.ts'
import { issueOrLeave } from './submit.ts'
import { voteOn, voterOf, withdrawRequest } from './voting.ts'

/** More than this wait for nobody. */
const mostWaiting = 10_001

async function waitingFor(db: Database, viewer: Viewer, selected: Selected): Promise<Selected> {
  if ('ids' in selected) return selected
  const without = new Set(selected.without)
  return {
    ids: (await subjectsWaitingFor(db, viewer.tenantId, voterOf(viewer), approvalKind, { page: 1, size: mostWaiting })).filter(
      (one) => !without.has(one),
    ),
  }
}

export const requestActions = [
  bulkAction({
    name: decideAction,
    needs: certificates.calls.decide.needs,
    query: z.object({ waitingForMe: z.literal(true).default(true) }),
    parameters: z.object({
      verdict: z.enum(['approve', 'deny'], 'Choose whether to approve or to deny'),
      comment: Paragraph(2000).default(''),
    }),
    targets: async (db, { tenantId, viewer, selected }) => chosenRequests(tenantId, await waitingFor(db, viewer, selected)),
    perform: oneByOne(
      async ({ db, emitFor, afterCommit }, { viewer, now, house }, { id: requestId, version: round }, { verdict, comment }) => {
        const { tenantId } = viewer
        const { state } = await voteOn(
          { house, db, viewer, now, emit: emitFor(certificates), fault: faultsOf(certificates.calls.decide) },
          { requestId, round, verdict, comment },
        )
        // What is left behind by a crash between the two commits is issued by the recovery.
        if (state === 'approved') {
          const request = await findRequest(db, tenantId, requestId)
          if (request !== undefined) afterCommit(async () => void (await issueOrLeave(house, tenantId, request, viewer)))
        }
        return state === 'waiting' ? 'voted' : state
      },
    ),
  }),
  bulkAction({
    name: withdrawAction,
    needs: certificates.calls.withdraw.needs,
    tokens: certificates.calls.withdraw.tokens,
    query: z.object({ status: RequestStatusName.optional(), text: z.string().max(200).default('') }),
    parameters: z.object({}),
    targets: (db, { tenantId, viewer, query: { text, status }, selected }) =>
      withdrawableRequests(db, tenantId, viewer.userId, { text, status }, selected),
    perform: oneByOne(async ({ db, emitFor }, { viewer, now }, { id: requestId }) => {
      await withdrawRequest({ db, viewer, now, emit: emitFor(certificates), fault: faultsOf(certificates.calls.withdraw) }, requestId)
      return 'withdrawn'
    }),
  }),
]
