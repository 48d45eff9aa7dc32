// The failed rows of a run as CSV, read on in batches.

import { csvLine } from '#core/contract/csv.ts'
import { inTenant } from '#core/server/database.ts'
import { commonFault } from '#core/server/fault.ts'
import type { Endpoint, EndpointRequest } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { Id } from '#core/contract/shapes.ts'
import { bulk } from '../contract.ts'
import { findAction, maySee } from './actions.ts'
import { failuresAfter, findRun } from './store.ts'

const batch = 1_000

export const exportFailures: Endpoint = {
  name: 'exportBulkFailures',
  method: 'GET',
  path: '/api2/Monitoring-v1/BulkFailures',
  needs: 'signedIn',
  async handle(request) {
    const { viewer, house, url } = request
    const runId = Id.safeParse(url.searchParams.get('runId'))
    if (viewer === undefined || !runId.success) throw commonFault('missing')
    const run = await inTenant(house.database, viewer.tenantId, (db) => findRun(db, viewer.tenantId, runId.data))
    const action = run && findAction(house, run.action)
    if (run === undefined || action === undefined || !maySee(viewer, action, run)) throw commonFault('missing')
    return {
      headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': `attachment; filename="failed-${run.id}.csv"` },
      body: lines(request, viewer, run.id),
    }
  },
}

async function* lines({ house, facts }: EndpointRequest, viewer: NonNullable<EndpointRequest['viewer']>, runId: string): AsyncGenerator<string> {
  const { tenantId } = viewer
  let rows = 0
  try {
    // The byte order mark tells spreadsheets that the text is UTF-8.
    yield `\u{feff}${csvLine(['Name', 'Id', 'Reason', 'Code'])}`
    for (let after = 0; ; ) {
      const found = await inTenant(house.database, tenantId, (db) => failuresAfter(db, tenantId, runId, after, batch))
      rows += found.length
      if (found.length > 0) yield found.map((row) => csvLine([row.label, row.target_id, row.failure ?? '', row.failure_code ?? ''])).join('')
      after = found.at(-1)?.position ?? after
      if (found.length < batch) break
    }
  } finally {
    await house.work(tenantId, { userId: viewer.userId, name: actorOf(viewer), address: facts.address }, async ({ emitFor }) => emitFor(bulk)('failuresExported', { runId, rows }, runId))
  }
}
