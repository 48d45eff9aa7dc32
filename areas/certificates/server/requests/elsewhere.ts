// A request that waits is answered from outside: another issuer certified its key. Whoever may give the last approval records that certificate instead, so
// that it takes as many people as issuing here. It then stands in the inventory as an external one, held by whom the request was for. Nothing is
// signed here: such a request has no serial of ours.

import { cancelApproval, findApprovalOf } from '#areas/approvals/service.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import { invalidField } from '#core/server/fault.ts'
import type { Handlers } from '#core/server/serve.ts'
import { DerError } from '#standards/der/reader.ts'
import { bytesEqual } from '#standards/der/values.ts'
import { splitCertificateText } from '#standards/pem/certificate-text.ts'
import { PemError } from '#standards/pem/pem.ts'
import { say } from '#standards/say/say.ts'
import { fingerprint, parseCertificate, type Certificate } from '#standards/x509/certificate.ts'
import type { certificates } from '../../contract.ts'
import { requestStatus } from '../../rules.ts'
import { knownByFingerprint } from '../inventory/certificate-store.ts'
import { insertExternal } from '../inventory/external.ts'
import { tellDecision } from './notices.ts'
import { changeRequest, lockRequest } from './request-store.ts'
import { howRequestDecided, subjectOf, voterOf } from './voting.ts'

const refused = (says: string) => invalidField('certificate', says)

export const recordElsewhere: Handlers<typeof certificates>['recordElsewhere'] = async (
  { requestId, certificate: text },
  { db, viewer, now, emit, fault, house },
) => {
  const { tenantId } = viewer
  const request = (await lockRequest(db, tenantId, requestId)) ?? fault('noSuchRequest')
  const opened = await findApprovalOf(db, subjectOf(tenantId, requestId), voterOf(viewer))
  if (request.stage !== 'waiting' || opened === undefined) return fault('closed', { params: { how: await howRequestDecided(db, request) } })
  if (request.holder_user_id === viewer.userId) return fault('own')
  if (opened.refusal !== undefined) return fault(opened.refusal)
  const { approvals, needed } = opened
  if (approvals + 1 < needed) return fault('tooFew', { params: { approvals, needed } })

  const certificate = readOne(text)
  if (request.renews !== null) throw refused(say`A renewal is answered by its own authority. Deny it, or agree to it`)
  if (request.csr === null || request.public_key === null)
    throw refused(say`This request brings no key of its own, so no certificate can answer it`)
  if (!bytesEqual(certificate.publicKey.spki, request.public_key))
    throw refused(say`This certificate is for another key than the one of the request`)
  if (certificate.notAfter < now) throw refused(say`This certificate has ended`)

  const sha256 = fingerprint(certificate)
  const known = (await knownByFingerprint(db, tenantId, [sha256])).get(sha256)
  if (known?.caId !== undefined) throw refused(say`This certificate was issued here already`)
  const holder = request.holder_user_id === null ? undefined : await findPerson(db, tenantId, request.holder_user_id)
  const [added] = await insertExternal(
    db,
    tenantId,
    [certificate],
    {
      uploader: { userId: request.requester_id, username: request.requester },
      friendlyName: request.friendly_name,
      contactEmail: request.contact_email,
      ...(holder === undefined ? {} : { holder: { userId: holder.id, name: fullName(holder) } }),
    },
    now,
  )
  const certificateId = added?.id ?? known?.id
  if (certificateId === undefined) throw new Error('A certificate is neither known nor new')
  await changeRequest(db, tenantId, requestId, { stage: 'issued', certificate_id: certificateId, updated_at: now })
  await cancelApproval(db, subjectOf(tenantId, requestId), now)
  await tellDecision(db, house, request, 'elsewhere', now)
  emit('issuedElsewhere', { requestId, certificateId, sha256 }, requestId)
  return { requestId, status: requestStatus('issued', false, true), certificateId }
}

function readOne(text: string): Certificate {
  try {
    const [item, ...more] = splitCertificateText(text)
    if (item?.kind === 'privateKey') throw refused(say`This is a private key. Keep it secret, and paste the certificate`)
    if (item?.kind !== 'certificate' || more.length > 0) throw refused(say`Paste one certificate, and nothing else`)
    return parseCertificate(item.bytes)
  } catch (error) {
    if (error instanceof PemError || error instanceof DerError)
      throw refused(say`This is not a certificate that can be read: ${error.message}`)
    throw error
  }
}
