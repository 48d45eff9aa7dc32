// The rows of a run as CSV, read on in batches: the failed ones alone, or all with what became of each.

import { csvLine } from '#core/contract/csv.ts'
import { Id } from '#core/contract/shapes.ts'
import { inTenant } from '#core/server/database.ts'
import { commonFault } from '#core/server/fault.ts'
import type { EndpointHandler, EndpointHandlers, EndpointRequest } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { bulk } from '../contract.ts'
import { findAction, maySee } from './actions.ts'
import { findRun, rowsAfter, stateOfRow, type RowRecord, type RunRecord } from './store.ts'

const batch = 1_000

type Sheet = {
  file: string
  event: 'failuresExported' | 'rowsExported'
  failedAlone: boolean
  head: string[]
  line(row: RowRecord, run: RunRecord): string[]
}

const failures: Sheet = {
  file: 'failed',
  event: 'failuresExported',
  failedAlone: true,
  head: ['Name', 'Id', 'Reason', 'Code'],
  line: (row) => [row.label, row.target_id, row.failure ?? '', row.failure_code ?? ''],
}

const everything: Sheet = {
  file: 'rows',
  event: 'rowsExported',
  failedAlone: false,
  head: ['Name', 'Id', 'State', 'Outcome', 'Request', 'Reason', 'Code'],
  line: (row, { reached }) => [
    row.label,
    row.target_id,
    stateOfRow(row, reached),
    row.outcome ?? '',
    row.request_id ?? '',
    row.failure ?? '',
    row.failure_code ?? '',
  ],
}

const giving = (sheet: Sheet): EndpointHandler => ({
  async handle(request) {
    const { viewer, house, url } = request
    const runId = Id.safeParse(url.searchParams.get('runId'))
    if (viewer === undefined || !runId.success) throw commonFault('missing')
    const run = await inTenant(house.database, viewer.tenantId, (db) => findRun(db, viewer.tenantId, runId.data))
    const action = run && findAction(house, run.action)
    if (run === undefined || action === undefined || !maySee(viewer, action, run)) throw commonFault('missing')
    return {
      headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': `attachment; filename="${sheet.file}-${run.id}.csv"` },
      body: lines(request, viewer, run, sheet),
    }
  },
})

export const exportEndpoints: EndpointHandlers<typeof bulk> = { exportBulkFailures: giving(failures), exportBulkRows: giving(everything) }

async function* lines(
  { house, facts }: EndpointRequest,
  viewer: NonNullable<EndpointRequest['viewer']>,
  run: RunRecord,
  { event, failedAlone, head, line }: Sheet,
): AsyncGenerator<string> {
  const { tenantId } = viewer
  const runId = run.id
  let rows = 0
  try {
    // The byte order mark tells spreadsheets that the text is UTF-8.
    yield `\u{feff}${csvLine(head)}`
    for (let after = 0; ;) {
      const found = await inTenant(house.database, tenantId, (db) => rowsAfter(db, tenantId, runId, { after, most: batch, failedAlone }))
      rows += found.length
      if (found.length > 0) yield found.map((row) => csvLine(line(row, run))).join('')
      after = found.at(-1)?.position ?? after
      if (found.length < batch) break
    }
  } finally {
    await house.work(tenantId, { userId: viewer.userId, name: actorOf(viewer), address: facts.address }, async ({ emitFor }) =>
      emitFor(bulk)(event, { runId, rows }, runId),
    )
  }
}
