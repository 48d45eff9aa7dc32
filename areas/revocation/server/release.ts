// Ending a hold: the one revocation that can be taken back. It makes a certificate good that somebody found reason to suspend, so it takes those who decide
// revocations, as many of them as the revocation took, and never alone the person whose certificate it is. It stands among the revocations, with
// the reason by which lists tell of it.

import { keeperOf } from '#areas/certificates/rules.ts'
import { revocationRuleOf, type Certificate } from '#areas/certificates/service.ts'
import type { Database } from '#core/server/database.ts'
import type { Emit, Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { isHold } from '#standards/crl/reasons.ts'
import { revocation } from '../contract.ts'
import { askOthers, recordOf, withOutcome } from './revoke.ts'
import { emitSettled, settle } from './settle.ts'
import { insertRevocation, latestDoneOf, pendingOf, type RevocationRecord } from './store.ts'

export type ReleaseRefusal = 'notOnHold' | 'over' | 'alreadyPending' | 'own'

type Releasing = { db: Database; viewer: Viewer; now: Date; emit: Emit<typeof revocation> }

/** The release as it stands then: done, failed, or waiting for others. Whoever calls tells the world after the commit, and where it is refused commits nothing. */
export async function release(
  { db, viewer, now, emit }: Releasing,
  certificate: Certificate,
  note: string,
): Promise<{ refused: ReleaseRefusal } | { row: RevocationRecord }> {
  const refused = await releaseRefusal(db, viewer, certificate)
  if (refused !== undefined) return { refused }
  const asked = recordOf(viewer, certificate, { reason: 'removeFromCRL', invalidSince: undefined, note: note.trim(), now })
  const rule = revocationRuleOf(certificate)
  if (rule.needed > 0) {
    const keeper = keeperOf(certificate)
    await askOthers({ db, viewer, now, emit }, asked, {
      rule,
      title: `Release ${asked.subject} from hold`,
      excluded: keeper === undefined ? [] : [keeper],
    })
    return { row: asked }
  }
  const settled = await settle(db, asked, now)
  // Another has released it at the same moment. Nothing is left behind that could be mistaken for a release still to be done.
  if (settled.state === 'failed' && settled.failureCode === 'notOnHold') return { refused: 'notOnHold' }
  // Only now does its serial stand still: somebody may have put it on hold anew between the first look and this one.
  if (await isHeldAgainst(db, viewer, certificate)) return { refused: 'own' }
  const row = withOutcome(asked, settled, actorOf(viewer), now)
  await insertRevocation(db, row)
  emitSettled(emit, row)
  return { row }
}

/** Why this person cannot release it; whether they may release any is asked before. */
async function releaseRefusal(db: Database, viewer: Viewer, certificate: Certificate): Promise<ReleaseRefusal | undefined> {
  if (!isHold(certificate.revoked?.reason) || certificate.caId === undefined) return 'notOnHold'
  if (certificate.status === 'expired') return 'over'
  if ((await pendingOf(db, viewer.tenantId, [certificate.id])).has(certificate.id)) return 'alreadyPending'
  return (await isHeldAgainst(db, viewer, certificate)) ? 'own' : undefined
}

export const mayRelease = async (db: Database, viewer: Viewer, certificate: Certificate): Promise<boolean> =>
  viewer.permission.api.includes(revocation.calls.release.needs) && (await releaseRefusal(db, viewer, certificate)) === undefined

/** The viewer's own certificate, which somebody else has put on hold. */
async function isHeldAgainst(db: Database, viewer: Viewer, certificate: Certificate): Promise<boolean> {
  if (viewer.userId !== keeperOf(certificate)) return false
  return (await latestDoneOf(db, viewer.tenantId, certificate.id))?.requester_id !== viewer.userId
}
