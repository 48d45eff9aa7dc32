// The OCSP responder. An answer without a nonce is signed once and kept in memory. Whether anything was revoked since is asked of the
// database under a lease: for half a second nobody asks again, so a revocation shows in every process within a second. What is kept
// belongs to one revision of the authority's statuses and goes with it; an answer that was being signed meanwhile goes too.

import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { findIssuer, revisionOf, statusOf, type Issuer } from '#areas/authorities/service.ts'
import { signWithKey } from '#areas/keys/service.ts'
import { findPublicAddress } from '#areas/tenancy/service.ts'
import { DerError } from '#standards/der/reader.ts'
import { issuerFingerprint, issuerFingerprints, type CertId } from '#standards/ocsp/cert-id.ts'
import { parseOcspRequest, type OcspRequest } from '#standards/ocsp/request.ts'
import { assembleOcspResponse, buildOcspResponseData, ocspErrorResponse, responderIdOf, type CertStatus, type ResponderId, type SingleResponse } from '#standards/ocsp/response.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { X509Error } from '#standards/x509/error.ts'
import { addressKind, ocspAnswersKept, ocspKeptMilliseconds, ocspLeaseMilliseconds, ocspSigningAtOnce, ocspValidMilliseconds } from '../rules.ts'

type Answer = { bytes: Promise<Uint8Array>; until: number }

/** What a process knows of one authority. */
type Desk = {
  tenantId: string
  issuer: Issuer
  responderId: ResponderId
  fingerprints: ReadonlySet<string>
  revision: number
  /** By the CertID as it was asked. A new map with each revision. */
  answers: Map<string, Answer>
  /** By the monotonic clock. */
  leaseEnds: number
}

export type Responder = { answer(publicId: string, request: Uint8Array): Promise<Uint8Array> }

export function openResponder(house: House): Responder {
  const desks = new Map<string, Desk>()
  const renewals = new Map<string, Promise<Desk | undefined>>()
  let signing = 0

  return {
    /** Always an OCSPResponse; never throws. */
    async answer(publicId, bytes) {
      try {
        const request = parseOcspRequest(bytes)
        const desk = await deskOf(publicId)
        if (desk === undefined) return ocspErrorResponse('unauthorized')
        return await respond(desk, request)
      } catch (error) {
        if (error instanceof DerError || error instanceof X509Error) return ocspErrorResponse('malformedRequest')
        house.log.error({ error }, 'an OCSP request could not be answered')
        return ocspErrorResponse('tryLater')
      }
    },
  }

  async function deskOf(publicId: string): Promise<Desk | undefined> {
    const known = desks.get(publicId)
    if (known !== undefined && performance.now() < known.leaseEnds) return known
    const running = renewals.get(publicId)
    if (running !== undefined) return running
    const renewal = renew(publicId, known).finally(() => renewals.delete(publicId))
    renewals.set(publicId, renewal)
    return renewal
  }

  async function renew(publicId: string, known: Desk | undefined): Promise<Desk | undefined> {
    // The lease counts from before the reading: what is committed after this moment is seen by the next.
    const began = performance.now()
    const address = known === undefined ? await findPublicAddress(house.database, addressKind, publicId) : { tenantId: known.tenantId, target: known.issuer.caId }
    if (address === undefined) return undefined
    const { tenantId, target } = address
    const read = await inTenant(house.database, tenantId, async (db) => ({ issuer: await findIssuer(db, tenantId, target, house.now()), revision: await revisionOf(db, tenantId, target) }))
    if (read.issuer === undefined) return undefined
    const leaseEnds = began + ocspLeaseMilliseconds
    const same = known !== undefined && Buffer.compare(known.issuer.certificate, read.issuer.certificate) === 0
    if (same && known.revision === read.revision) {
      known.leaseEnds = leaseEnds
      return known
    }
    const certificate = parseCertificate(read.issuer.certificate)
    const desk: Desk = {
      tenantId,
      issuer: read.issuer,
      responderId: responderIdOf(certificate),
      fingerprints: new Set(issuerFingerprints(certificate)),
      revision: read.revision,
      answers: new Map(),
      leaseEnds,
    }
    desks.set(publicId, desk)
    return desk
  }

  async function respond(desk: Desk, request: OcspRequest): Promise<Uint8Array> {
    const ours = (certId: CertId) => desk.fingerprints.has(issuerFingerprint(certId))
    if (!request.certIds.some(ours)) return ocspErrorResponse('unauthorized')
    const [only, ...others] = request.certIds
    const key = request.nonce === undefined && only !== undefined && others.length === 0 ? Buffer.from(only.encoded).toString('base64') : undefined
    const kept = key === undefined ? undefined : desk.answers.get(key)
    if (kept !== undefined && performance.now() < kept.until) return kept.bytes

    if (signing >= ocspSigningAtOnce) return ocspErrorResponse('tryLater')
    signing += 1
    const fresh = makeAnswer(desk, request, ours).finally(() => {
      signing -= 1
    })
    if (key === undefined) return (await fresh).bytes

    desk.answers.delete(key)
    desk.answers.set(key, { bytes: fresh.then(({ bytes }) => bytes), until: performance.now() + ocspKeptMilliseconds })
    const oldest = desk.answers.size > ocspAnswersKept ? desk.answers.keys().next().value : undefined
    if (oldest !== undefined) desk.answers.delete(oldest)
    try {
      const { bytes, lasting } = await fresh
      if (!lasting) desk.answers.delete(key)
      return bytes
    } catch (error) {
      desk.answers.delete(key)
      throw error
    }
  }

  async function makeAnswer(desk: Desk, request: OcspRequest, ours: (certId: CertId) => boolean): Promise<{ bytes: Uint8Array; lasting: boolean }> {
    const { tenantId, issuer } = desk
    const now = house.now()
    const statuses = await inTenant(house.database, tenantId, async (db) => {
      const found: CertStatus[] = []
      for (const certId of request.certIds) {
        found.push(ours(certId) ? statusFrom(await statusOf(db, tenantId, issuer.caId, Buffer.from(certId.serialNumber).toString('hex'))) : { status: 'unknown' })
      }
      return found
    })
    const thisUpdate = new Date(Math.floor(now.getTime() / 1000) * 1000)
    const responses = request.certIds.map((certId, at): SingleResponse => ({
      ...(statuses[at] ?? { status: 'unknown' }),
      certId,
      thisUpdate,
      nextUpdate: new Date(thisUpdate.getTime() + ocspValidMilliseconds),
    }))
    const responseData = buildOcspResponseData({ responderId: desk.responderId, producedAt: thisUpdate, responses, nonce: request.nonce })
    const signature = await signWithKey(house, { tenantId, keyId: issuer.keyId, algorithm: issuer.signatureAlgorithm, data: responseData })
    return {
      bytes: assembleOcspResponse({ responseData, signatureAlgorithm: issuer.signatureAlgorithm, signature }),
      // A certificate may be issued under a serial that is unknown now, and issuing raises no revision.
      lasting: statuses.every(({ status }) => status !== 'unknown'),
    }
  }
}

/** What was reserved and never signed is not a certificate. */
function statusFrom(found: Awaited<ReturnType<typeof statusOf>>): CertStatus {
  if (found?.revocation !== undefined) return { status: 'revoked', revocationTime: found.revocation.at, reason: found.revocation.reason }
  return found?.state === 'signed' ? { status: 'good' } : { status: 'unknown' }
}
