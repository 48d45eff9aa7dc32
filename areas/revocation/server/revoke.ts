// Asking for one revocation, by whichever door: the single call and each row of bulk work take this way, so that permission, policy and approval
// are the same for both.

import { openApproval } from '#areas/approvals/service.ts'
import { findUsableIssuer } from '#areas/authorities/licensing.ts'
import type { Issuer } from '#areas/authorities/service.ts'
import { certificateTemplateRule, findCertificate } from '#areas/certificates/service.ts'
import { brokenConstraint, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { invalidField, type FaultDetail } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Emit, Viewer } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import type { CertificateReference } from '#areas/certificates/rules.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import type { revocation } from '../contract.ts'
import { invalidityFault, mayChoose, mayRevoke } from '../rules.ts'
import { publishSoon } from './crl.ts'
import { untilNobodyKeeps } from './keeping.ts'
import { emitSettled, settle, type Settled } from './settle.ts'
import { insertRevocation, latestRevocationOf, type RevocationRecord } from './store.ts'

export const subjectKind = 'revocation'

export const subjectOf = (row: Pick<RevocationRecord, 'tenant_id' | 'id'>) => ({ tenantId: row.tenant_id, kind: subjectKind, subjectId: row.id })

export type RevocationOrder = { reference: CertificateReference; reason: RevocationReason; invalidityDate?: string | undefined; note: string }

type Revoking = {
  db: Database
  viewer: Viewer
  now: Date
  emit: Emit<typeof revocation>
  /** Refuses by the faults of the single call. */
  fault(code: 'notFound' | 'notYours' | 'alreadyRevoked' | 'alreadyPending', detail?: FaultDetail): never
}

/** The revocation as it stands then: done, or waiting for others. Whoever calls tells the world after the commit. */
export async function revokeOne({ db, viewer, now, emit, fault }: Revoking, { reference, reason, invalidityDate, note }: RevocationOrder): Promise<{ row: RevocationRecord; issuer: Issuer | undefined }> {
  const { tenantId } = viewer
  const certificate = await findCertificate(db, tenantId, reference, now)
  if (certificate === undefined) return fault('notFound')
  if (!mayRevoke(viewer, certificate)) return fault('notYours')
  if (!mayChoose(reason, 'certificate')) throw invalidField('reason', 'This reason cannot be chosen for a certificate')
  const invalidSince = invalidityDate === undefined ? undefined : new Date(invalidityDate)
  const wrongDate = invalidSince && invalidityFault(invalidSince, certificate, now)
  if (wrongDate !== undefined) throw invalidField('invalidityDate', wrongDate)
  if (certificate.revoked !== undefined) return fault('alreadyRevoked')
  if ((await latestRevocationOf(db, tenantId, certificate.id))?.state === 'pending') return fault('alreadyPending')

  const rule = certificateTemplateRule(certificate)
  const issuer = certificate.caId === undefined ? undefined : await findUsableIssuer(db, tenantId, certificate.caId, now)
  const asked: RevocationRecord = {
    tenant_id: tenantId,
    id: timeOrderedId(now),
    certificate_id: certificate.id,
    ca_id: certificate.caId ?? null,
    serial_hex: certificate.serialHex,
    subject: certificate.subject,
    reason,
    invalidity_date: invalidSince ?? null,
    note: note.trim(),
    state: 'pending',
    failure_code: null,
    requester_id: viewer.userId,
    requester: actorOf(viewer),
    requested_at: now,
    decided_by: null,
    decided_at: null,
  }
  if (rule.needed > 0 && certificate.caId !== undefined) {
    try {
      await insertRevocation(db, asked)
    } catch (error) {
      if (brokenConstraint(error) === 'revocations_open') return fault('alreadyPending')
      throw error
    }
    await openApproval(db, {
      ...subjectOf(asked),
      title: `Revoke ${certificate.subject}`,
      rule,
      requester: { userId: viewer.userId, name: actorOf(viewer) },
      now,
    })
    emit('requested', { revocationId: asked.id, certificateId: asked.certificate_id, caId: certificate.caId, serialNumber: asked.serial_hex, reason }, asked.certificate_id)
    return { row: asked, issuer }
  }
  const settled = await settle(db, asked, now)
  if (settled.state === 'failed' && settled.failureCode === 'alreadyRevoked') return fault('alreadyRevoked')
  const done = withOutcome(asked, settled, actorOf(viewer), now)
  await insertRevocation(db, done)
  emitSettled(emit, done)
  return { row: done, issuer }
}

export const withOutcome = (row: RevocationRecord, settled: Settled, by: string, at: Date): RevocationRecord => ({
  ...row,
  state: settled.state,
  failure_code: settled.state === 'failed' ? settled.failureCode : null,
  decided_by: by,
  decided_at: at,
})

/** Lists are made in the background; that no server calls the certificate good any more is waited for. */
export function tellTheWorld(house: House, tenantId: string, caId: string): Promise<void> {
  publishSoon(house, tenantId, caId)
  return untilNobodyKeeps(house, caId)
}
