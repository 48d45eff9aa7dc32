// Ending a hold: the one revocation that can be taken back. It makes a certificate good that somebody found reason to suspend, so it takes those who decide
// revocations, as many of them as the revocation took, and never alone the person whose certificate it is. It stands among the revocations, with
// the reason by which lists tell of it.

import { plainSubject } from '#areas/certificates/plain-subject.ts'
import { keeperOf } from '#areas/certificates/rules.ts'
import { revocationRuleOf, type Certificate } from '#areas/certificates/service.ts'
import type { Database } from '#core/server/database.ts'
import type { Emit, Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import type { revocation } from '../contract.ts'
import { isHeldAgainst, releaseRefusal, type ReleaseRefusal, type HoldState } from './policy.ts'
import { askOthers, recordOf, withOutcome } from './revoke.ts'
import { emitSettled, settle } from './settle.ts'
import { insertRevocation, latestDoneOf, pendingOf, type RevocationRecord } from './store.ts'

type Releasing = { db: Database; viewer: Viewer; now: Date; emit: Emit<typeof revocation> }

/** The release as it stands then: done, failed, or waiting for others. Whoever calls tells the world after the commit, and where it is refused commits nothing. */
export async function release(
  { db, viewer, now, emit }: Releasing,
  certificate: Certificate,
  note: string,
): Promise<{ refused: ReleaseRefusal } | { row: RevocationRecord }> {
  const refused = releaseRefusal(viewer, certificate, await holdStateOf(db, viewer, certificate))
  if (refused !== undefined) return { refused }
  const asked = recordOf(viewer, certificate, { reason: 'removeFromCRL', invalidSince: undefined, note: note.trim(), now })
  const rule = revocationRuleOf(certificate)
  if (rule.needed > 0) {
    const keeper = keeperOf(certificate)
    await askOthers({ db, viewer, now, emit }, asked, {
      rule,
      title: `Release ${plainSubject(asked.subject)} from hold`,
      excluded: keeper === undefined ? [] : [keeper],
    })
    return { row: asked }
  }
  const settled = await settle(db, asked, now)
  // Another has released it at the same moment. Nothing is left behind that could be mistaken for a release still to be done.
  if (settled.state === 'failed' && settled.failureCode === 'notOnHold') return { refused: 'notOnHold' }
  // Only now does its serial stand still: somebody may have put it on hold anew between the first look and this one.
  if (isHeldAgainst(viewer, certificate, (await holdStateOf(db, viewer, certificate)).heldBy)) return { refused: 'own' }
  const row = withOutcome(asked, settled, actorOf(viewer), now)
  await insertRevocation(db, row)
  emitSettled(emit, row)
  return { row }
}

/** What is to be read of it before it is judged. */
export async function holdStateOf(db: Database, { tenantId }: Viewer, { id }: Certificate): Promise<HoldState> {
  return { waits: (await pendingOf(db, tenantId, [id])).has(id), heldBy: (await latestDoneOf(db, tenantId, id))?.requester_id }
}
