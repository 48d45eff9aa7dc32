// Holding a drill: counts by the inventory, sizes by the lists that there are, time by what runs have taken.

import { findIssuer } from '#areas/authorities/service.ts'
import { rateMeasured } from '#areas/bulk/service.ts'
import { countsToRevoke, type InventoryFilter } from '#areas/certificates/service.ts'
import type { Database } from '#core/server/database.ts'
import { packCrlEntries } from '#standards/crl/entries.ts'
import { listAfter, usualRowsPerSecond, type DrillFigures } from '../drills.ts'
import { revokeAction } from '../early-paths.ts'
import { wholeList } from '../rules.ts'
import { crlSummaries } from './crl-store.ts'

/** Fewer say more about the header than about an entry. */
const enoughEntries = 1_000

/** What one more entry adds: a serial number of sixteen bytes, a time and a reason. */
const usualEntry = (now: Date): number =>
  packCrlEntries([{ serialNumber: new Uint8Array(16).fill(0x7f), revocationDate: now, reason: 'superseded' }]).length

export async function holdDrill(db: Database, tenantId: string, query: InventoryFilter, now: Date): Promise<DrillFigures> {
  const { counts, groups } = await countsToRevoke(db, tenantId, query, now)
  const authorities: DrillFigures['authorities'] = []
  for (const [caId, ofAuthority] of Map.groupBy(groups, (group) => group.caId)) {
    const issuer = await findIssuer(db, tenantId, caId, now)
    const count = ofAuthority.reduce((sum, group) => sum + group.count, 0)
    const more = ofAuthority.reduce((sum, group) => sum + group.count - group.held, 0)
    const whole = (await crlSummaries(db, tenantId, caId)).find(({ part }) => part === wholeList)
    const list = { entries: whole?.entry_count ?? 0, bytes: whole?.bytes ?? 0 }
    const entryBytes = list.entries >= enoughEntries ? list.bytes / list.entries : usualEntry(now)
    const after = listAfter(list, more, entryBytes)
    const parts = issuer?.crlShards ?? 0
    authorities.push({
      caId,
      name: issuer?.friendlyName ?? ofAuthority[0]?.caName ?? '',
      count,
      entriesNow: list.entries,
      bytesNow: list.bytes,
      entriesAfter: after.entries,
      bytesAfter: Math.round(after.bytes),
      parts,
      bytesOfPart: parts === 0 ? 0 : Math.round(listAfter({ entries: 0, bytes: 0 }, after.entries / parts, entryBytes).bytes),
    })
  }
  const templates = [...Map.groupBy(groups, (group) => `${group.templateName} ${group.approvers}`).values()].map((ofTemplate) => ({
    name: ofTemplate[0]?.templateName ?? '',
    count: ofTemplate.reduce((sum, group) => sum + group.count, 0),
    approvers: ofTemplate[0]?.approvers ?? 0,
  }))
  const measured = await rateMeasured(db, tenantId, revokeAction)
  const rowsPerSecond = measured ?? usualRowsPerSecond
  return {
    ...counts,
    templates: templates.toSorted((a, b) => b.count - a.count).slice(0, 100),
    authorities: authorities.toSorted((a, b) => b.count - a.count),
    rowsPerSecond: Math.round(rowsPerSecond * 10) / 10,
    measuredHere: measured !== undefined,
    seconds: Math.ceil(counts.matched / rowsPerSecond),
  }
}
