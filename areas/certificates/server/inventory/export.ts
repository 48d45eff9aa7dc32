// The current list as CSV.

import * as z from 'zod'
import type { Selected } from '#areas/bulk/service.ts'
import { SelectionShape } from '#core/contract/shapes.ts'
import { inTenant } from '#core/server/database.ts'
import { exportAnswer } from '#core/server/export.ts'
import { commonFault } from '#core/server/fault.ts'
import type { EndpointAnswer, EndpointHandler, EndpointRequest } from '#core/server/serve.ts'
import { parseExactly, readQuery } from '#core/server/steps/input.ts'
import { actorOf } from '#core/server/visiting.ts'
import { readJson } from '#standards/json/read.ts'
import { certificates } from '../../contract.ts'
import { SearchedCertificates } from '../../shapes.ts'
import { chosenBatch } from './chosen-store.ts'
import type { InventoryFilter, Listed } from './inventory-store.ts'
import { presentRow } from './presenter.ts'

const columnsAt = (now: Date) => ({
  Name: (row: Listed) => row.name,
  Subject: (row: Listed) => row.subject,
  'Alternative names': (row: Listed) => row.sans.join(' '),
  'Serial number': (row: Listed) => row.serial_hex,
  Status: (row: Listed) => presentRow(row, now).status,
  Authority: (row: Listed) => row.ca_name,
  Template: (row: Listed) => row.template_name,
  Holder: (row: Listed) => row.holder || row.device_name,
  'E-mail': (row: Listed) => row.email,
  Requester: (row: Listed) => row.requester,
  'Valid from': (row: Listed) => row.not_before,
  'Valid to': (row: Listed) => row.not_after,
  Revoked: (row: Listed) => row.revoked_at,
  'Revocation reason': (row: Listed) => row.revocation_reason,
  'SHA-256 fingerprint': (row: Listed) => row.fingerprint_sha256,
})

export const exportCertificates: EndpointHandler = {
  async handle(request) {
    return csvOf(request, readFilter(request.url), { without: [] })
  },
}

const Chosen = z.object({ selection: SelectionShape, query: certificates.calls.search.input.prefault({}) })

export const exportChosenCertificates: EndpointHandler = {
  bodyLimit: 1024 * 1024,
  async handle(request) {
    const { selection, query } = parseExactly(Chosen, parsed(await request.body()))
    const { selectAll, inclusionList, exclusionList } = selection
    return csvOf(request, query, selectAll ? { without: exclusionList } : { ids: inclusionList })
  },
}

function parsed(body: Uint8Array): unknown {
  try {
    return readJson(body)
  } catch {
    throw commonFault('malformed')
  }
}

function csvOf({ viewer, now, house, facts }: EndpointRequest, filter: InventoryFilter, selected: Selected): EndpointAnswer {
  if (viewer === undefined) throw commonFault('not_logged_in')
  const { tenantId } = viewer
  return exportAnswer<Listed>({
    name: 'certificates',
    of: now,
    columns: columnsAt(now),
    byteOrderMark: true,
    read: (after, size) => inTenant(house.database, tenantId, (db) => chosenBatch(db, tenantId, filter, selected, after?.id, size, now)),
    // Whoever breaks the download off has the rows that came before: it is recorded, too.
    ended: (rows) =>
      house.work(tenantId, { userId: viewer.userId, name: actorOf(viewer), address: facts.address }, async ({ emitFor }) =>
        emitFor(certificates)('exported', { rows }),
      ),
  })
}

/** In an address a list stands as one value, too, parted by commas. */
function readFilter(url: URL): InventoryFilter {
  const sent = Object.entries(readQuery(url, SearchedCertificates)).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.flatMap((one) => String(one).split(',')) : value,
  ])
  return parseExactly(SearchedCertificates, Object.fromEntries(sent))
}
