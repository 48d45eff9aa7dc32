// Asking for revocations, by whichever door: the single call and the rows of bulk work take this way, so that permission, policy and approval are the
// same for both. Many at once cost few more questions to the database than one.

import { cancelApproval, openApproval, type NewApproval } from '#areas/approvals/service.ts'
import { plainSubject } from '#areas/certificates/plain-subject.ts'
import { keeperOf } from '#areas/certificates/rules.ts'
import { revocationRuleOf, type Certificate } from '#areas/certificates/service.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { faultOfConstraint, invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Emit, Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { say } from '#standards/say/say.ts'
import { revocation } from '../contract.ts'
import { actionOf, invalidityFault, isFoundLater, mayChoose, type Action } from '../rules.ts'
import { untilNobodyCaches } from './cache-lease.ts'
import { publishSoon } from './crl.ts'
import { revocationRefusal, type RevocationRefusal } from './policy.ts'
import { emitSettled, settleAll, eventBody, type Settled } from './settle.ts'
import { changeRevocation, insertRevocations, pendingOf, type PendingRevocation, type RevocationRecord } from './store.ts'

export const subjectKind = 'revocation'

export const subjectOf = (row: Pick<RevocationRecord, 'tenant_id' | 'id'>) => ({
  tenantId: row.tenant_id,
  kind: subjectKind,
  subjectId: row.id,
})

export type RevocationOrder = {
  reason: RevocationReason
  invalidityDate?: string | undefined
  note: string
  /** Does not vote either. */ actorId?: string | undefined
}

/** `refused`: by the faults of the single call. */
export type Revoked = { refused: RevocationRefusal } | { row: RevocationRecord }

type Revoking = { db: Database; viewer: Viewer; now: Date; emit: Emit<typeof revocation> }

/**
 * Of each certificate, by its id, the revocation as it stands then: done, failed, or waiting for others. Whoever calls tells the world after the
 * commit. Throws where the order is wrong for one of them, and `alreadyPending` where somebody asks for one at the same moment.
 */
export async function revokeAll(
  { db, viewer, now, emit }: Revoking,
  certificates: readonly Certificate[],
  { reason, invalidityDate, note, actorId }: RevocationOrder,
): Promise<Map<string, Revoked>> {
  const { tenantId } = viewer
  if (!mayChoose(reason, 'certificate')) throw invalidField('reason', say`This reason cannot be chosen for a certificate`)
  const invalidSince = invalidityDate === undefined ? undefined : new Date(invalidityDate)
  const pending = await pendingOf(
    db,
    tenantId,
    certificates.map(({ id }) => id),
  )
  const results = new Map<string, Revoked>()
  const due: {
    asked: RevocationRecord
    rule: ReturnType<typeof revocationRuleOf>
    revoked: Certificate['revoked']
    keeper: string | undefined
  }[] = []
  for (const certificate of certificates) {
    const refused = revocationRefusal(viewer, certificate, reason, pending.get(certificate.id))
    const wrongDate = invalidSince && refused !== 'notYours' ? invalidityFault(invalidSince, certificate, now) : undefined
    if (wrongDate !== undefined) throw invalidField('invalidityDate', wrongDate)
    if (refused !== undefined) results.set(certificate.id, { refused })
    else
      due.push({
        asked: recordOf(viewer, certificate, { reason, invalidSince, note: note.trim(), now }),
        rule: revocationRuleOf(certificate),
        revoked: certificate.revoked,
        keeper: keeperOf(certificate),
      })
  }
  await withdrawReleases(
    { db, viewer, now, emit },
    due.flatMap(({ asked }) => pending.get(asked.certificate_id) ?? []),
  )
  const asksOthers = ({ rule }: (typeof due)[number]) => rule.needed > 0
  for (const { asked, rule, revoked, keeper } of due.filter(asksOthers)) {
    await askOthers({ db, viewer, now, emit }, asked, {
      rule,
      title: titleOf(asked, revoked),
      excluded: [keeper, actorId].flatMap((id) => id ?? []),
    })
    results.set(asked.certificate_id, { row: asked })
  }
  const atOnce = due.filter((one) => !asksOthers(one)).map(({ asked }) => asked)
  const settled = await settleAll(db, tenantId, atOnce, now)
  const done: RevocationRecord[] = []
  for (const asked of atOnce) {
    const outcome = settled.get(asked.certificate_id) ?? { state: 'failed', failureCode: 'unknownSerial' }
    if (outcome.state === 'failed' && outcome.failureCode === 'alreadyRevoked')
      results.set(asked.certificate_id, { refused: 'alreadyRevoked' })
    else done.push(withOutcome(asked, outcome, actorOf(viewer), now))
  }
  await insertRevocations(db, done)
  for (const row of done) {
    emitSettled(emit, row)
    results.set(row.certificate_id, { row })
  }
  return results
}

function titleOf({ reason, subject }: RevocationRecord, revoked: Certificate['revoked']): string {
  if (isFoundLater(revoked)) return `Record that the key of ${subject} is compromised`
  return actionOf(reason) === 'hold' ? `Put ${plainSubject(subject)} on hold` : `Revoke ${plainSubject(subject)}`
}

/** One that was decided meanwhile stays decided, and what is asked for now comes after it. */
async function withdrawReleases(revoking: Revoking, releases: readonly PendingRevocation[]): Promise<void> {
  // In one order: two that withdraw the same ones do not wait for each other in a circle.
  for (const waiting of releases.toSorted((a, b) => (a.id < b.id ? -1 : 1))) await withdraw(revoking, waiting)
}

/** What was asked for goes away undecided. False where it does not wait any more. */
export async function withdraw(
  { db, viewer, now, emit }: Revoking,
  row: Pick<RevocationRecord, 'tenant_id' | 'id' | 'certificate_id'>,
): Promise<boolean> {
  if (!(await cancelApproval(db, subjectOf(row), now))) return false
  await changeRevocation(db, row.tenant_id, row.id, { state: 'cancelled', decided_by: actorOf(viewer), decided_at: now })
  emit('cancelled', { revocationId: row.id, certificateId: row.certificate_id }, row.certificate_id)
  return true
}

const askedEvents = { revocation: 'requested', hold: 'holdRequested', release: 'releaseRequested' } as const satisfies Record<
  Action,
  string
>

type Asking = Pick<NewApproval, 'rule' | 'title' | 'excluded'>

export async function askOthers({ db, viewer, now, emit }: Revoking, asked: RevocationRecord, asking: Asking): Promise<void> {
  await insertRevocations(db, [asked]).catch((error: unknown) => {
    throw faultOfConstraint(revocation.calls.revoke, error)
  })
  await openApproval(db, { ...subjectOf(asked), ...asking, requester: { userId: viewer.userId, name: actorOf(viewer) }, now })
  emit(askedEvents[actionOf(asked.reason)], { ...eventBody(asked), reason: asked.reason }, asked.certificate_id)
}

export const recordOf = (
  viewer: Viewer,
  certificate: Certificate,
  { reason, invalidSince, note, now }: { reason: RevocationReason; invalidSince: Date | undefined; note: string; now: Date },
): RevocationRecord => ({
  tenant_id: viewer.tenantId,
  id: timeOrderedId(now),
  certificate_id: certificate.id,
  ca_id: certificate.caId ?? null,
  serial_hex: certificate.serialHex,
  subject: certificate.subject,
  reason,
  invalidity_date: invalidSince ?? null,
  note,
  state: 'pending',
  failure_code: null,
  requester_id: viewer.userId,
  requester: actorOf(viewer),
  requested_at: now,
  decided_by: null,
  decided_at: null,
})

export const withOutcome = (row: RevocationRecord, settled: Settled, by: string, at: Date): RevocationRecord => ({
  ...row,
  state: settled.state,
  failure_code: settled.state === 'failed' ? settled.failureCode : null,
  decided_by: by,
  decided_at: at,
})

/** Returns when no server answers questions of OCSP by what was before. Lists that tell of it are begun; nobody waits for those. */
export function untilAnswersAreNew(house: House, tenantId: string, caId: string): Promise<void> {
  publishSoon(house, tenantId, caId)
  return untilNobodyCaches(house, caId)
}
