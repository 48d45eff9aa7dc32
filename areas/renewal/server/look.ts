// What is known of one certificate's renewal, as one person may see it: the verdict, the next step, and what was tried.

import type { DraftOf } from '#core/contract/contract.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { RenewalRefusal } from '#areas/certificates/renewal-rules.ts'
import { checkRenewal, findRenewable, findRenewables, predecessorOf, renewalStanding, supersededBy, type Renewable, type Standing } from '#areas/certificates/renewing.ts'
import { certificateStatus, lifetimeOf, type CertificateReference, type CertificateStatus } from '#areas/certificates/rules.ts'
import { rulesByTemplate } from '#areas/enrolment/service.ts'
import { findTemplate, type Template } from '#areas/templates/service.ts'
import { fullName } from '#areas/users/service.ts'
import type { renewal } from '../contract.ts'
import { keysFor } from '../key-choices.ts'
import { verdictOn, windowOf, type Attempt, type RenewalMode, type Verdict } from '../rules.ts'
import { askerFor, commentOf, modeOf, personOf, type Certificate } from './renew.ts'
import { renewalsOf, type RenewalRecord } from './store.ts'

type Shown = DraftOf<{ input: typeof renewal.calls.info.output }>

export type Looked = {
  certificate: Certificate
  template: Template | undefined
  mode: RenewalMode
  window: { opens: Date; due: Date }
  status: CertificateStatus
  rows: RenewalRecord[]
  standing: Standing | undefined
  verdict: Verdict
}

/** The certificate, if this person may know of its renewal: who sees certificates, its holder, and whoever asked for it. */
export async function findFor(db: Database, viewer: Viewer, reference: CertificateReference): Promise<Certificate | undefined> {
  const certificate = await findRenewable(db, viewer.tenantId, reference)
  if (certificate === undefined) return undefined
  const own = certificate.holder_user_id === viewer.userId || certificate.requester_id === viewer.userId
  return own || viewer.permission.api.includes('certView') || mayRenew(viewer, certificate) ? certificate : undefined
}

/** Its holder; of a device, whoever asked for it. */
const isOwn = (userId: string, { holder_user_id: holderId, requester_id: requesterId }: Pick<Renewable, 'holder_user_id' | 'requester_id'>): boolean => (holderId ?? requesterId) === userId

/** Whose it is, and who may ask for others. */
export function mayRenew({ userId, permission }: Viewer, { entity, holder_user_id: holderId, requester_id: requesterId }: Renewable): boolean {
  return isOwn(userId, { holder_user_id: holderId, requester_id: requesterId }) || permission.api.includes(entity === 'user' ? 'certSigningRequestUser' : 'certSigningRequest')
}

/** What is said of it is said to `reader`. */
export async function lookAt(house: House, { tenantId, userId: reader }: Pick<Viewer, 'tenantId' | 'userId'>, certificate: Certificate): Promise<Looked> {
  const now = house.now()
  const known = await inTenant(house.database, tenantId, async (db) => {
    const template = certificate.template_id === null ? undefined : await findTemplate(db, tenantId, certificate.template_id, now)
    return {
      template,
      rows: await renewalsOf(db, tenantId, certificate.id),
      standing: await renewalStanding(db, tenantId, certificate.id),
      superseding: certificate.template_id === null ? undefined : await supersededBy(db, tenantId, certificate),
      successor: certificate.renewed_by === null ? undefined : (await findRenewables(db, tenantId, [certificate.renewed_by]))[0],
      person: await personOf(db, tenantId, certificate),
      rule: template === undefined ? undefined : (await rulesByTemplate(db, tenantId)).get(template.id),
    }
  })
  const { template, rows, standing, successor } = known
  const mode = modeOf(certificate, template)
  const window = windowOf({ id: certificate.id, notBefore: certificate.not_before, notAfter: certificate.not_after }, mode, template?.extensions.renewalDays)
  const status = certificateStatus(lifetimeOf(certificate), now)
  const foreign = certificate.ca_id === null
  const settled = foreign || successor !== undefined || certificate.revoked_at !== null || mode === 'NONE'
  const verdict = verdictOn({
    now,
    status,
    revoked: certificate.revoked_at === null ? undefined : { reason: certificate.revocation_reason ?? 'unspecified', at: certificate.revoked_at },
    foreign,
    notAfter: certificate.not_after,
    mode,
    window,
    madeHere: certificate.madeHere,
    holder: known.person === undefined ? certificate.holder || certificate.requester || 'Its holder' : fullName(known.person),
    yours: isOwn(reader, certificate),
    renewedBy: successor && { serialHex: successor.serial_hex, at: successor.issued_at },
    supersededBy: known.superseding && { serialHex: known.superseding.serial_hex },
    rule: known.rule,
    attempt: attemptOf(rows[0], standing),
    blocked: settled ? undefined : await inTheWay(house, tenantId, certificate, template, mode, window.opens),
  })
  return { certificate, template, mode, window, status, rows, standing, verdict }
}

/** The row as its request stands, which may be ahead of it. */
function attemptOf(row: RenewalRecord | undefined, standing: Standing | undefined): Attempt | undefined {
  if (row === undefined) return undefined
  const attempt: Attempt = { state: row.state, reason: row.reason, tries: row.tries, at: row.updated_at, next: row.next_attempt_at ?? undefined, stage: undefined }
  if (row.state !== 'waiting' || standing?.requestId !== row.request_id) return attempt
  const { stage, error } = standing
  if (stage === 'failed') return { ...attempt, state: 'failed', reason: error }
  if (stage === 'denied' || stage === 'withdrawn') return { ...attempt, state: 'denied', reason: error }
  return { ...attempt, stage, reason: error }
}

async function inTheWay(house: House, tenantId: string, certificate: Certificate, template: Template | undefined, mode: RenewalMode, opens: Date): Promise<RenewalRefusal | undefined> {
  const viewer = await inTenant(house.database, tenantId, (db) => askerFor(db, tenantId, certificate, template))
  if ('refused' in viewer) return viewer.refused
  const key = mode === 'AUTOMATIC_NEW_KEY' && certificate.madeHere ? 'made' : 'same'
  // Before its time comes, what will be in the way then: an authority or a licence that ends too soon is known long before.
  const at = new Date(Math.max(house.now().getTime(), opens.getTime()))
  const refused = await checkRenewal(house, { tenantId, certificateId: certificate.id, key, viewer, by: '', comment: commentOf(certificate, key) }, at)
  // A key of the holder's that is to change may be good for nothing any more.
  const harmless = refused?.kind === 'key' && mode === 'AUTOMATIC_NEW_KEY' && key === 'same'
  return harmless ? undefined : refused
}

export async function shownTo(db: Database, viewer: Viewer, looked: Looked, now: Date): Promise<Shown> {
  const { certificate, mode, window, status, rows, standing, verdict } = looked
  const { tenantId } = viewer
  const predecessor = await predecessorOf(db, tenantId, certificate)
  const successor = certificate.renewed_by === null ? undefined : (await findRenewables(db, tenantId, [certificate.renewed_by]))[0]
  return {
    certificateId: certificate.id,
    name: certificate.name,
    serialNumber: certificate.serial_hex,
    entity: certificate.entity,
    holder: certificate.holder !== '' ? certificate.holder : certificate.requester,
    templateName: certificate.template_name,
    notAfter: certificate.not_after.toISOString(),
    status,
    mode,
    opensAt: window.opens.toISOString(),
    verdict,
    step: stepFor(viewer, looked, now),
    // A key that is not certified any more is no choice.
    keys: keysFor({ mode, madeHere: certificate.madeHere, archived: looked.template?.extensions.keyArchival === true }).filter((key) => key !== 'same' || verdict.why !== 'key'),
    ...(standing === undefined ? {} : { requestId: standing.requestId }),
    ...(predecessor === undefined ? {} : { renews: neighbour(predecessor) }),
    ...(successor === undefined ? {} : { renewedBy: neighbour(successor) }),
    attempts: rows.map(shownAttempt),
  }
}

const neighbour = ({ id, name, serial_hex, not_after }: Renewable) => ({ certificateId: id, name, serialNumber: serial_hex, notAfter: not_after.toISOString() })

export const shownAttempt = (row: RenewalRecord) => ({
  renewalId: row.id,
  state: row.state,
  reason: row.reason,
  tries: row.tries,
  askedBy: row.asked_by,
  begunAt: row.begun_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  ...(row.next_attempt_at === null ? {} : { nextAttemptAt: row.next_attempt_at.toISOString() }),
  ...(row.request_id === null ? {} : { requestId: row.request_id }),
})

function stepFor(viewer: Viewer, { certificate, mode, window, status, standing, verdict }: Looked, now: Date): Shown['step'] {
  const mine = isOwn(viewer.userId, certificate)
  if (verdict.kind === 'collect') return mine ? 'collect' : 'none'
  if (verdict.kind === 'approval' && standing !== undefined) return !mine && certificate.holder_user_id !== viewer.userId && viewer.permission.api.includes('certApprovals') ? 'approve' : 'none'
  if (['renewed', 'superseded', 'foreign', 'underWay', 'rule', 'onHold'].includes(verdict.kind)) return 'none'
  if (status === 'expired' || status === 'revoked' || verdict.kind === 'never') return 'request'
  if (!mayRenew(viewer, certificate) || now < window.opens) return 'none'
  if (mode === 'AUTOMATIC_NEW_KEY' && !certificate.madeHere) return 'answer'
  if (verdict.why === 'key') return 'answer'
  if (verdict.why === undefined) return 'renew'
  // What else is in the way somebody must mend first.
  return verdict.why === 'names' || verdict.why === 'policy' ? 'request' : 'none'
}
