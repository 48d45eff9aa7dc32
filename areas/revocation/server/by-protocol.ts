// Revocations that come by an enrolment protocol, whose room has decided whether the certificate is the asker's. Approval, record and publication are those of
// the single call.

import { findCertificate } from '#areas/certificates/service.ts'
import { noPermission } from '#core/contract/permissions.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { RevocationReason } from '#standards/crl/reasons.ts'
import { revocation } from '../contract.ts'
import { mayChoose } from '../rules.ts'
import type { ReleaseRefusal, RevocationRefusal } from './policy.ts'
import { release } from './release.ts'
import { revokeAll, untilAnswersAreNew } from './revoke.ts'

export type ProtocolRevocation = {
  tenantId: string
  certificateId: string
  reason: RevocationReason
  /** As the record names who asked. */
  by: string
  address: string
  /** Who did it, where that is a person: they do not vote. */
  actorId?: string
}

/** `waiting`: others must agree first, as the template says. */
export type ProtocolRevoked = 'revoked' | 'waiting' | 'badReason' | 'missing' | RevocationRefusal

/** Not inside a transaction. Returns when no server answers by what was before. */
export const revokeByProtocol = (house: House, order: ProtocolRevocation): Promise<ProtocolRevoked> =>
  order.reason === 'certificateHold' ? Promise.resolve('badReason') : revokeFor(house, order)

/** Puts it on hold, until `releaseByProtocol` of the same room ends that. */
export const holdByProtocol = (house: House, order: Omit<ProtocolRevocation, 'reason'>): Promise<ProtocolRevoked> =>
  revokeFor(house, { ...order, reason: 'certificateHold' })

async function revokeFor(
  house: House,
  { tenantId, certificateId, reason, by, address, actorId }: ProtocolRevocation,
): Promise<ProtocolRevoked> {
  if (!mayChoose(reason, 'certificate')) return 'badReason'
  const outcome = await house.work(tenantId, { userId: actorId, name: by, address }, async ({ db, tenancy: { now }, emitFor }) => {
    const certificate = await findCertificate(db, tenantId, { certId: certificateId }, now)
    if (certificate?.requesterId === undefined) return 'missing'
    const viewer = requesterOf(tenantId, certificate.requesterId, by, certificateId)
    const revoked = (await revokeAll({ db, viewer, now, emit: emitFor(revocation) }, [certificate], { reason, note: by, actorId })).get(
      certificate.id,
    )
    if (revoked === undefined || 'refused' in revoked) return revoked?.refused ?? 'missing'
    return { state: revoked.row.state, caId: certificate.caId }
  })
  if (typeof outcome === 'string') return outcome
  if (outcome.state === 'revoked' && outcome.caId !== undefined) await untilAnswersAreNew(house, tenantId, outcome.caId)
  return outcome.state === 'revoked' ? 'revoked' : 'waiting'
}

/** It asks as who asked for the certificate, who may always give it back, and may do nothing else. */
const requesterOf = (tenantId: string, userId: string, by: string, certificateId: string): Viewer => ({
  userId,
  username: by,
  tenantId,
  homeTenantId: tenantId,
  permission: noPermission,
  via: 'job',
  credentialId: certificateId,
})

export type ProtocolReleased = 'released' | 'waiting' | 'missing' | 'failed' | ReleaseRefusal

/** Ends a hold that came by `holdByProtocol`; one that somebody else asked for stays (`own`). Not inside a transaction. */
export async function releaseByProtocol(
  house: House,
  { tenantId, certificateId, by, address, actorId }: Omit<ProtocolRevocation, 'reason'>,
): Promise<ProtocolReleased> {
  const outcome = await house.work(tenantId, { userId: actorId, name: by, address }, async ({ db, tenancy: { now }, emitFor }) => {
    const certificate = await findCertificate(db, tenantId, { certId: certificateId }, now)
    if (certificate?.requesterId === undefined) return 'missing'
    const viewer = requesterOf(tenantId, certificate.requesterId, by, certificateId)
    const released = await release({ db, viewer, now, emit: emitFor(revocation) }, certificate, by)
    return 'refused' in released ? released.refused : { state: released.row.state, caId: certificate.caId }
  })
  if (typeof outcome === 'string') return outcome
  if (outcome.state === 'failed') return 'failed'
  const isDone = outcome.state === 'released'
  if (isDone && outcome.caId !== undefined) await untilAnswersAreNew(house, tenantId, outcome.caId)
  return isDone ? 'released' : 'waiting'
}
