// What waits for who decides the recovery of keys, and what has become of it, for the rooms that gather both.

import { waitingFor, waitingOfKind } from '#areas/approvals/service.ts'
import { to } from '#core/contract/paths.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { TransactionSource, TransactionState, WorkSource } from '#core/server/slots.ts'
import { archive } from '../contract.ts'
import type { RecoveryState } from '../rules.ts'
import { findRecoveries } from './store.ts'

export const kind = 'keyRecovery'

const voterOf = (viewer: Viewer) => ({ userId: viewer.userId, permissions: viewer.permission.api })

export const recoveriesWaiting: WorkSource = {
  kind,
  needs: 'certApprovals',
  async read({ db, tenantId }, viewer, { most }) {
    const waiting = await waitingOfKind(db, tenantId, voterOf(viewer), kind, most)
    const items = waiting.map(({ subjectId, title, requester, openedAt }) => {
      const act = (verdict: 'approve' | 'deny') => ({
        name: verdict,
        call: 'archive.vote',
        input: { recoveryId: subjectId, verdict },
        reasonField: 'comment',
      })
      return {
        id: subjectId,
        title,
        link: to(archive.screens.recoveries),
        requestedBy: requester,
        since: openedAt,
        actions: [act('approve'), act('deny')],
      }
    })
    return { items, count: await waitingFor(db, tenantId, voterOf(viewer), kind) }
  },
}

const endOf = ({ collected_at: collected, decided_at: decided }: { collected_at: Date | null; decided_at: Date | null }) => {
  const endedAt = collected ?? decided
  return endedAt === null ? {} : { endedAt }
}

const statusOf = (state: RecoveryState): TransactionState['status'] =>
  state === 'waiting' || state === 'approved' ? 'waiting' : state === 'collected' ? 'done' : 'denied'

export const recoveryTransactions: TransactionSource = {
  kind,
  area: 'archive',
  begins: ['recoveryRequested'],
  idField: 'recoveryId',
  needs: 'certApprovals',
  async describe({ db, tenantId }, _viewer, ids) {
    return new Map(
      (await findRecoveries(db, tenantId, ids)).map((row) => [
        row.id,
        {
          title: row.name,
          status: statusOf(row.state),
          ...endOf(row),
          link: to(archive.screens.recoveries),
        },
      ]),
    )
  },
}
