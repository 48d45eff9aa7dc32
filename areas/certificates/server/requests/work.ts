// What waits for an approver, and what has become of requests, for the rooms that gather both.

import { waitingFor, waitingOfKind } from '#areas/approvals/service.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { TransactionSource, TransactionState, WorkSource } from '#core/server/slots.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { approvalPath, certificatePath, myRequestPath } from '../../paths.ts'
import { plainSubject } from '../../plain-subject.ts'
import { approvalKind, type RequestStage } from '../../rules.ts'
import type { RequestRecord } from '../store.ts'
import { findRequest, findRequests } from './request-store.ts'
import { voterOf } from './voting.ts'

export const requestsWaiting: WorkSource = {
  kind: approvalKind,
  needs: 'certApprovals',
  async read({ db, tenantId }, viewer, { most }) {
    const items = await waitingOfKind(db, tenantId, voterOf(viewer), approvalKind, most)
    return {
      items: items.map(({ subjectId, round, title, requester, openedAt }) => {
        const act = (verdict: 'approve' | 'deny') => ({
          name: verdict,
          call: 'certificates.decide',
          input: { requestId: subjectId, round, verdict },
          reasonField: 'comment',
        })
        return {
          id: subjectId,
          title,
          link: approvalPath(subjectId),
          requestedBy: requester,
          since: openedAt,
          actions: [act('approve'), act('deny')],
        }
      }),
      count: await waitingFor(db, tenantId, voterOf(viewer), approvalKind),
    }
  },
}

/** The page on which this person reads of a request: its certificate, the approval, or the own request. */
export function placeOf(
  viewer: Viewer,
  row: Pick<RequestRecord, 'id' | 'certificate_id' | 'requester_id' | 'holder_user_id' | 'entity'>,
): string | undefined {
  const sees = (name: string) => viewer.permission.View.includes(name)
  if (row.certificate_id !== null && sees('certView')) return certificatePath(row.certificate_id)
  if (sees('certApprovals')) return approvalPath(row.id)
  return row.requester_id === viewer.userId || row.holder_user_id === viewer.userId ? myRequestPath(row.entity, row.id) : undefined
}

/** The same for the request of an authority; undefined where there is no such pair, or it is none of this person's business. */
export async function findPlace({ db, tenantId }: Tenancy, viewer: Viewer, { caId, requestId }: { caId: string; requestId: string }) {
  const row = await findRequest(db, tenantId, requestId)
  return row?.ca_id === caId ? placeOf(viewer, row) : undefined
}

const statusOf: Record<RequestStage, TransactionState['status']> = {
  waiting: 'waiting',
  awaitingKey: 'waiting',
  approved: 'waiting',
  reserved: 'waiting',
  issued: 'done',
  denied: 'denied',
  withdrawn: 'denied',
  failed: 'failed',
}

export const requestTransactions: TransactionSource = {
  kind: approvalKind,
  area: 'certificates',
  begins: ['requested'],
  idField: 'requestId',
  needs: 'certView',
  async describe({ db, tenantId }, viewer, ids) {
    const rows = await findRequests(db, tenantId, ids)
    return new Map(
      rows.map((row) => {
        const status = statusOf[row.stage]
        const link = placeOf(viewer, row)
        return [
          row.id,
          {
            title: plainSubject(row.subject),
            status,
            ...(status === 'waiting' ? {} : { endedAt: row.updated_at }),
            ...(link === undefined ? {} : { link }),
            ...(row.certificate_id === null ? {} : { further: row.certificate_id }),
          },
        ]
      }),
    )
  },
}
