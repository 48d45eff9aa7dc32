// What rooms above may ask: how many revocations wait, how fresh each list is, and what one says that was brought.

import type { Voter } from '#areas/approvals/rules.ts'
import { subjectsWaitingFor } from '#areas/approvals/service.ts'
import { listIssuers } from '#areas/authorities/service.ts'
import { offlineAuthorities } from '#areas/authorities/stakes.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import { parseCrl, type ParsedCrl } from '#standards/crl/parse.ts'
import { partsOf, wholeList, type Action, type ListState } from './rules.ts'
import { crlSummaries } from './server/crl-store.ts'
import { dueParts } from './server/crl.ts'
import { wholeFile } from './server/list-files.ts'
import { isOnline } from './server/presenter.ts'
import { stateOf, worstOf } from './server/publication.ts'
import { subjectKind } from './server/revoke.ts'
import { countOpenRevocations, statusSettingsOf } from './server/store.ts'

/** Revocations, holds and releases that wait for this person to decide: not those that they asked for themselves, or have voted on. Counted up to 10,000. */
export const openRevocations = async (db: Database, tenantId: string, voter: Voter): Promise<Record<Action, number>> =>
  countOpenRevocations(db, tenantId, await subjectsWaitingFor(db, tenantId, voter, subjectKind, { page: 1, size: countedUpTo }))

export type ListFreshness = {
  caId: string
  caName: string
  /** Of the whole list, as are times and entries. */
  number: number | undefined
  thisUpdate: Date | undefined
  nextUpdate: Date | undefined
  entries: number
  /** The worst of all its lists. */
  state: ListState
  /** One of them should be made. */
  due: boolean
  /** The key of its authority is elsewhere: lists are brought, not made. */
  supplied: boolean
  crlUrl: string
  ocspUrl: string
}

/** The lists of each authority that still signs, and those that were brought of authorities elsewhere. */
export async function listFreshness(db: Database, tenantId: string, now: Date): Promise<ListFreshness[]> {
  const newest = Map.groupBy(await crlSummaries(db, tenantId), ({ ca_id: caId }) => caId)
  const found: ListFreshness[] = []
  for (const issuer of (await listIssuers(db, tenantId, now)).filter(isOnline)) {
    const lists = newest.get(issuer.caId) ?? []
    const whole = lists.find(({ part }) => part === wholeList)
    const settings = await statusSettingsOf(db, tenantId, issuer.caId)
    const parts = new Set(partsOf(issuer, settings))
    found.push({
      caId: issuer.caId,
      caName: issuer.friendlyName,
      number: whole?.number,
      thisUpdate: whole?.this_update,
      nextUpdate: whole?.next_update,
      entries: whole?.entry_count ?? 0,
      state: worstOf(lists.filter(({ part }) => parts.has(part)).map((list) => stateOf(list, now))),
      due: (await dueParts(db, issuer, settings, lists, now)).length > 0,
      supplied: false,
      crlUrl: issuer.addresses.crl,
      ocspUrl: issuer.addresses.ocsp,
    })
  }
  for (const { caId, friendlyName, crlUrl, notAfter } of await offlineAuthorities(db, tenantId)) {
    if (notAfter < now) continue
    const list = newest.get(caId)?.find(({ part }) => part === wholeList)
    const state = stateOf(list, now)
    found.push({
      caId,
      caName: friendlyName,
      number: list?.number,
      thisUpdate: list?.this_update,
      nextUpdate: list?.next_update,
      entries: list?.entry_count ?? 0,
      state,
      due: state !== 'fresh',
      supplied: true,
      crlUrl,
      ocspUrl: '',
    })
  }
  return found
}

/** The newest list that was brought of an authority whose key is elsewhere. It was held against the authority's certificate then. */
export async function suppliedList(db: Database, tenantId: string, caId: string): Promise<ParsedCrl | undefined> {
  const file = await wholeFile(db, { tenantId, caId, part: wholeList })
  return file && parseCrl(file)
}
