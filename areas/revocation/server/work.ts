// What waits for who decides revocations, and what has become of those that were asked for, for the rooms that gather both.

import { waitingFor, waitingOfKind } from '#areas/approvals/service.ts'
import { plainSubject } from '#areas/certificates/plain-subject.ts'
import { to } from '#core/contract/paths.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { TransactionSource, TransactionState, WorkSource } from '#core/server/slots.ts'
import { revocation } from '../contract.ts'
import { subjectKind } from './revoke.ts'
import { findRevocations, type RevocationRecord } from './store.ts'

const voterOf = (viewer: Viewer) => ({ userId: viewer.userId, permissions: viewer.permission.api })

const linkOf = ({ certificate_id: certId }: Pick<RevocationRecord, 'certificate_id'>): string =>
  to(revocation.screens.viewPending, { certId })

export const revocationsWaiting: WorkSource = {
  kind: subjectKind,
  needs: 'certRevokeView',
  async read({ db, tenantId }, viewer, { most }) {
    const waiting = await waitingOfKind(db, tenantId, voterOf(viewer), subjectKind, most)
    const rows = new Map(
      (
        await findRevocations(
          db,
          tenantId,
          waiting.map(({ subjectId }) => subjectId),
        )
      ).map((row) => [row.id, row]),
    )
    const items = waiting.flatMap(({ subjectId, title, requester, openedAt }) => {
      const row = rows.get(subjectId)
      if (row === undefined) return []
      const act = (verdict: 'approve' | 'deny') => ({
        name: verdict,
        call: 'revocation.vote',
        input: { revocationId: subjectId, verdict },
        reasonField: 'comment',
      })
      return [
        {
          id: subjectId,
          title: plainSubject(title),
          link: linkOf(row),
          requestedBy: requester,
          since: openedAt,
          actions: [act('approve'), act('deny')],
        },
      ]
    })
    return { items, count: await waitingFor(db, tenantId, voterOf(viewer), subjectKind) }
  },
}

const statusOf: Record<RevocationRecord['state'], TransactionState['status']> = {
  pending: 'waiting',
  revoked: 'done',
  released: 'done',
  denied: 'denied',
  cancelled: 'denied',
  failed: 'failed',
}

export const revocationTransactions: TransactionSource = {
  kind: subjectKind,
  area: 'revocation',
  begins: ['requested', 'holdRequested', 'releaseRequested'],
  idField: 'revocationId',
  needs: 'certRevokeView',
  async describe({ db, tenantId }, viewer, ids) {
    const sees = viewer.permission.View.includes(revocation.screens.viewPending.needs)
    return new Map(
      (await findRevocations(db, tenantId, ids)).map((row) => [
        row.id,
        {
          title: plainSubject(row.subject),
          status: statusOf[row.state],
          ...(row.decided_at === null ? {} : { endedAt: row.decided_at }),
          ...(sees ? { link: linkOf(row) } : {}),
        },
      ]),
    )
  },
}
