// What rooms above may ask: how many revocations wait, and how fresh each list is.

import type { Database } from '#core/server/database.ts'
import { listIssuers, revisionOf } from '#areas/authorities/service.ts'
import { crlIsDue } from './rules.ts'
import { isOnline } from './server/shown.ts'
import { countOpenRevocations, crlSummaries } from './server/store.ts'

/** Counted up to 10,000. */
export const openRevocations = (db: Database, tenantId: string): Promise<number> => countOpenRevocations(db, tenantId)

export type ListFreshness = { caId: string; caName: string; number: number | undefined; thisUpdate: Date | undefined; nextUpdate: Date | undefined; entries: number; due: boolean; crlUrl: string; ocspUrl: string }

/** The newest list of each authority that still signs. */
export async function listFreshness(db: Database, tenantId: string, now: Date): Promise<ListFreshness[]> {
  const newest = new Map((await crlSummaries(db, tenantId)).map((list) => [list.ca_id, list]))
  const found: ListFreshness[] = []
  for (const issuer of (await listIssuers(db, tenantId, now)).filter(isOnline)) {
    const list = newest.get(issuer.caId)
    found.push({
      caId: issuer.caId,
      caName: issuer.friendlyName,
      number: list?.number,
      thisUpdate: list?.this_update,
      nextUpdate: list?.next_update,
      entries: list?.entry_count ?? 0,
      due: crlIsDue(list && { thisUpdate: list.this_update, revision: list.revision }, await revisionOf(db, tenantId, issuer.caId), now),
      crlUrl: issuer.addresses.crl,
      ocspUrl: issuer.addresses.ocsp,
    })
  }
  return found
}
