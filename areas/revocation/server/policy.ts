// Who may know, revoke, release and take back: every rule of this room about one certificate and whoever asks. Nothing is read here; the rows are
// given. A token with scopes has what the call itself would let it do, so an answer never offers what the call refuses.

import { isTheirs, keeperOf } from '#areas/certificates/rules.ts'
import type { Certificate } from '#areas/certificates/service.ts'
import { passesDoor } from '#core/contract/access.ts'
import type { Viewer } from '#core/server/serve.ts'
import { isHold, type RevocationReason } from '#standards/crl/reasons.ts'
import { revocation } from '../contract.ts'
import { isRelease, isRevokedFor } from '../rules.ts'
import type { RevocationRecord } from './store.ts'

const { revoke, release, cancel } = revocation.calls
const approverPermission = 'certRevokeView'

type Who = Pick<Viewer, 'userId' | 'permission' | 'via' | 'narrowed'>
type Whose = Parameters<typeof keeperOf>[0]
type Waiting = Pick<RevocationRecord, 'reason'>

const decides = (viewer: Who): boolean => viewer.permission.api.includes(approverPermission)

/** To everybody else it looks like one that is not there. */
export const mayKnow = (viewer: Who, certificate: Whose): boolean =>
  viewer.permission.api.includes('certView') || isTheirs(viewer, certificate)

/** To see a certificate is not enough to revoke it: one must have asked for it, hold it, or be one of those who decide revocations. */
export const mayRevoke = (viewer: Who, certificate: Whose): boolean =>
  passesDoor(viewer, revoke) && (decides(viewer) || isTheirs(viewer, certificate))

/** Of many that match, those of others too. */
export const mayRevokeOthers = (viewer: Who): boolean => mayRevoke(viewer, { requesterId: undefined, holderUserId: undefined })

export type RevocationRefusal = 'notYours' | 'notIssuedHere' | 'alreadyRevoked' | 'alreadyPending'

/** Why it is not revoked for this reason, by the faults of the single call. `waiting`: what waits for others' decision about it. */
export function revocationRefusal(
  viewer: Who,
  certificate: Whose & Pick<Certificate, 'caId' | 'revoked'>,
  reason: RevocationReason,
  waiting: Waiting | undefined,
): RevocationRefusal | undefined {
  if (!mayRevoke(viewer, certificate)) return 'notYours'
  if (certificate.caId === undefined) return 'notIssuedHere'
  if (isRevokedFor(certificate.revoked, reason)) return 'alreadyRevoked'
  return waiting === undefined || givesWay(waiting, reason) ? undefined : 'alreadyPending'
}

/** Whoever knows that a certificate must go for good is not kept waiting by somebody who wants it back. */
const givesWay = (waiting: Waiting, reason: RevocationReason): boolean => isRelease(waiting) && !isHold(reason)

export type ReleaseRefusal = 'notOnHold' | 'over' | 'alreadyPending' | 'own'

/** What stands about a certificate: whether something waits for a decision, and who asked for the hold. */
export type HoldState = { waits: boolean; heldBy: string | undefined }

/** Why this person cannot end its hold. Whether they may end any is asked at the door. */
export function releaseRefusal(
  viewer: Who,
  certificate: Whose & Pick<Certificate, 'caId' | 'revoked' | 'status'>,
  { waits, heldBy }: HoldState,
): ReleaseRefusal | undefined {
  if (!isHold(certificate.revoked?.reason) || certificate.caId === undefined) return 'notOnHold'
  if (certificate.status === 'expired') return 'over'
  if (waits) return 'alreadyPending'
  return isHeldAgainst(viewer, certificate, heldBy) ? 'own' : undefined
}

/** The viewer's own certificate, which somebody else has put on hold. */
export const isHeldAgainst = (viewer: Who, certificate: Whose, heldBy: string | undefined): boolean =>
  viewer.userId === keeperOf(certificate) && heldBy !== viewer.userId

export const mayRelease = (...about: Parameters<typeof releaseRefusal>): boolean =>
  passesDoor(about[0], release) && releaseRefusal(...about) === undefined

/** Who asked, and who decides; but whose certificate it is decides nothing about it, and so stops nothing either. */
export const mayCancel = (viewer: Who, row: Pick<RevocationRecord, 'state' | 'requester_id'>, certificate: Whose | undefined): boolean =>
  passesDoor(viewer, cancel) &&
  (row.requester_id === viewer.userId || (decides(viewer) && (certificate === undefined || keeperOf(certificate) !== viewer.userId)))
