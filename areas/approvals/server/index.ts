import { countedUpTo } from '#core/contract/shapes.ts'
import { serve } from '#core/server/serve.ts'
import { approvals } from '../contract.ts'
import { countWaiting, waitingPage } from './store.ts'

export default serve(approvals, {
  async waiting(query, { db, viewer }) {
    const granted = viewer.permission.api
    const rows = await waitingPage(db, viewer.tenantId, viewer.userId, granted, query)
    const total = await countWaiting(db, viewer.tenantId, viewer.userId, granted)
    return {
      rows: rows.map((row) => ({
        approvalId: row.id,
        kind: row.kind,
        subjectId: row.subject_id,
        title: row.title,
        requester: row.requester,
        openedAt: row.opened_at.toISOString(),
        approvals: Number(row.votes ?? 0),
        needed: row.needed,
      })),
      total: Math.min(total, countedUpTo),
      more: total > countedUpTo,
    }
  },
})
