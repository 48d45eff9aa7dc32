// Revoking what a list's filter finds, by the way of the single call.

import * as z from 'zod'
import { listUsableIssuers } from '#areas/authorities/licensing.ts'
import { bulk } from '#areas/bulk/contract.ts'
import { oneByOne, type BulkAction } from '#areas/bulk/service.ts'
import { findCertificate, findCertificates, revocationFacts, selectCertificates } from '#areas/certificates/service.ts'
import { SearchedCertificates } from '#areas/certificates/shapes.ts'
import { Paragraph } from '#core/contract/shapes.ts'
import { inTenant } from '#core/server/database.ts'
import { Fault, faultOfCall } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { on } from '#core/server/serve.ts'
import { holdReason, type RevocationReason } from '#standards/crl/reasons.ts'
import { revocation } from '../contract.ts'
import { holdAction, releaseAction, revokeAction } from '../early-paths.ts'
import { allReasons, failureCodes, reasonsForMany } from '../rules.ts'
import { untilNobodyCaches } from './cache-lease.ts'
import { publishSoon } from './crl.ts'
import { mayRevokeOthers } from './policy.ts'
import { release } from './release.ts'
import { revokeAll, untilAnswersAreNew } from './revoke.ts'

const Parameters = z.object({
  reason: z
    .enum(allReasons, 'Choose a reason')
    .refine((reason) => reasonsForMany.includes(reason), 'This reason cannot be chosen for a certificate'),
  note: Paragraph(2000).default(''),
})

/**
 * While many are revoked a new list of an authority begins at most so often: a list of a million entries for each two hundred of them would be work for
 * nothing. OCSP says each at once. At the end, and where a run is stopped, there is a new list; what a kill leaves, the schedule makes.
 */
const betweenListsMilliseconds = 30_000

type Lists = { begun: Map<string, number>; heldBack: Map<string, string> }
const listsOf = new WeakMap<House, Lists>()

function lists(house: House): Lists {
  const known = listsOf.get(house) ?? { begun: new Map<string, number>(), heldBack: new Map<string, string>() }
  listsOf.set(house, known)
  return known
}

function tellNowAndThen(house: House, tenantId: string, caId: string): Promise<void> {
  const { begun, heldBack } = lists(house)
  const now = house.now().getTime()
  if (now - (begun.get(caId) ?? -Infinity) < betweenListsMilliseconds) {
    heldBack.set(caId, tenantId)
    return untilNobodyCaches(house, caId)
  }
  begun.set(caId, now)
  heldBack.delete(caId)
  return untilAnswersAreNew(house, tenantId, caId)
}

/** A run that was stopped has revoked what it has revoked. Whichever server hears of it makes the lists that are due. */
export const publishOfStopped = on(bulk.events.cancelled, async ({ tenantId }, house) => {
  for (const { caId } of await inTenant(house.database, tenantId, (db) => listUsableIssuers(db, tenantId, house.now())))
    publishSoon(house, tenantId, caId)
})

async function tellOfHeldBack(house: House): Promise<void> {
  const { begun, heldBack } = lists(house)
  // Each is taken off before it is told of: what is held back meanwhile stays for the next time.
  for (const [caId, tenantId] of new Map(heldBack)) {
    heldBack.delete(caId)
    begun.set(caId, house.now().getTime())
    await untilAnswersAreNew(house, tenantId, caId)
  }
}

type Many<P> = BulkAction<z.infer<typeof SearchedCertificates>, P>

const revoking = <P extends { note: string }>(
  name: string,
  parameters: z.ZodType<P>,
  reasonOf: (chosen: P) => RevocationReason,
): Many<P> => ({
  name,
  // Who revokes one of their own need see no others; who chooses among many sees them.
  needs: 'certView',
  tokens: revocation.calls.revoke.tokens,
  query: SearchedCertificates,
  parameters,
  // Of all that match, those that this person may revoke; of those chosen one by one, each, so that its reason is told.
  targets: (db, { tenantId, viewer, query, selected, now }) =>
    selectCertificates(
      db,
      tenantId,
      query,
      selected,
      now,
      'ids' in selected || mayRevokeOthers(viewer) ? undefined : { of: viewer.userId, as: 'theirs' },
    ),
  facts: (db, { tenantId, now }, ids) => revocationFacts(db, tenantId, ids, now),

  async perform({ db, emitFor, afterCommit }, { viewer, now, house, last }, targets, chosen) {
    const certificates = await findCertificates(
      db,
      viewer.tenantId,
      targets.map(({ id }) => id),
      now,
    )
    const revoked = await revokeAll({ db, viewer, now, emit: emitFor(revocation) }, [...certificates.values()], {
      reason: reasonOf(chosen),
      note: chosen.note,
    })
    if (last) afterCommit(() => tellOfHeldBack(house), 'lists')
    return targets.map(({ id }) => {
      const outcome = revoked.get(id)
      if (outcome === undefined) return faultOfCall(revocation.calls.revoke, 'notFound')
      if ('refused' in outcome) return faultOfCall(revocation.calls.revoke, outcome.refused)
      const { id: requestId, state, ca_id: caId, tenant_id: tenantId, failure_code: code } = outcome.row
      if (code !== null) return new Fault(code, { status: 409, says: failureCodes[code] })
      if (state === 'revoked' && caId !== null) afterCommit(() => tellNowAndThen(house, tenantId, caId), caId)
      return state === 'pending' ? { word: state, requestId } : state
    })
  },
})

export const revokeMany = revoking(revokeAction, Parameters, ({ reason }) => reason)

const Noted = z.object({ note: Paragraph(2000).default('') })

/** A hold ends one by one or many at once, too, so that nobody is left with a thousand of them. */
export const holdMany = revoking(holdAction, Noted, () => holdReason)

export const releaseMany: Many<z.infer<typeof Noted>> = {
  name: releaseAction,
  needs: revocation.calls.release.needs,
  query: SearchedCertificates,
  parameters: Noted,
  targets: (db, { tenantId, query, selected, now }) => selectCertificates(db, tenantId, query, selected, now),
  facts: (db, { tenantId, now }, ids) => revocationFacts(db, tenantId, ids, now),
  perform: oneByOne(async ({ db, emitFor, afterCommit }, { viewer, now, house }, { id }, { note }) => {
    const { release: call } = revocation.calls
    const certificate = await findCertificate(db, viewer.tenantId, { certId: id }, now)
    if (certificate === undefined) throw faultOfCall(call, 'notFound')
    const outcome = await release({ db, viewer, now, emit: emitFor(revocation) }, certificate, note)
    if ('refused' in outcome) throw faultOfCall(call, outcome.refused)
    const { id: requestId, state, ca_id: caId, tenant_id: tenantId, failure_code: code } = outcome.row
    if (code !== null) throw new Fault(code, { status: 409, says: failureCodes[code] })
    if (state === 'released' && caId !== null) afterCommit(() => untilAnswersAreNew(house, tenantId, caId), caId)
    return state === 'pending' ? { word: state, requestId } : state
  }),
}
