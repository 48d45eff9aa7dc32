// The rows of a run as CSV, read on in batches: the failed ones alone, or all with what became of each.

import { Id } from '#core/contract/shapes.ts'
import { inTenant } from '#core/server/database.ts'
import { exportAnswer, type Export } from '#core/server/export.ts'
import { commonFault } from '#core/server/fault.ts'
import type { EndpointAnswer, EndpointHandler, EndpointHandlers, EndpointRequest } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { bulk } from '../contract.ts'
import { findAction, maySee } from './actions.ts'
import { findRun, rowsAfter, stateOfRow, type RowRecord, type RunRecord } from './store.ts'

type Sheet = {
  file: string
  event: 'failuresExported' | 'rowsExported'
  failedAlone: boolean
  columns(run: RunRecord): Export<RowRecord>['columns']
}

const failures: Sheet = {
  file: 'failed',
  event: 'failuresExported',
  failedAlone: true,
  columns: () => ({
    Name: ({ label }) => label,
    Id: (row) => row.target_id,
    Reason: ({ failure }) => failure,
    Code: (row) => row.failure_code,
  }),
}

const everything: Sheet = {
  file: 'rows',
  event: 'rowsExported',
  failedAlone: false,
  columns: ({ reached }) => ({
    Name: ({ label }) => label,
    Id: (row) => row.target_id,
    State: (row) => stateOfRow(row, reached),
    Outcome: ({ outcome }) => outcome,
    Request: (row) => row.request_id,
    Reason: ({ failure }) => failure,
    Code: (row) => row.failure_code,
  }),
}

const giving = (sheet: Sheet): EndpointHandler => ({
  async handle(request) {
    const { viewer, house, url } = request
    const runId = Id.safeParse(url.searchParams.get('runId'))
    if (viewer === undefined || !runId.success) throw commonFault('missing')
    const run = await inTenant(house.database, viewer.tenantId, (db) => findRun(db, viewer.tenantId, runId.data))
    const action = run && findAction(house, run.action)
    if (run === undefined || action === undefined || !maySee(viewer, action, run)) throw commonFault('missing')
    return sheetOf(request, viewer, run, sheet)
  },
})

export const exportEndpoints: EndpointHandlers<typeof bulk> = { exportBulkFailures: giving(failures), exportBulkRows: giving(everything) }

function sheetOf(
  { house, facts }: EndpointRequest,
  viewer: NonNullable<EndpointRequest['viewer']>,
  run: RunRecord,
  { file, event, failedAlone, columns }: Sheet,
): EndpointAnswer {
  const { tenantId } = viewer
  const runId = run.id
  return exportAnswer<RowRecord>({
    name: file,
    of: runId,
    columns: columns(run),
    byteOrderMark: true,
    read: (after, most) =>
      inTenant(house.database, tenantId, (db) => rowsAfter(db, tenantId, runId, { after: after?.position ?? 0, most, failedAlone })),
    ended: (rows) =>
      house.work(tenantId, { userId: viewer.userId, name: actorOf(viewer), address: facts.address }, async ({ emitFor }) =>
        emitFor(bulk)(event, { runId, rows }, runId),
      ),
  })
}
