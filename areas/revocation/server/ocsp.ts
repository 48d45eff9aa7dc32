// The OCSP responder. An answer without a nonce is signed once and kept in memory, found again by the very bytes of the request. It is kept under
// a right that a revocation takes back before it is answered (keeping.ts), and read anew from the database every half second
// besides. What is kept belongs to one revision of the authority's statuses and goes with it; an answer that was being signed meanwhile goes too.

import { isDeepStrictEqual } from 'node:util'
import { findIssuer, revisionOf, statusesOf, type Issuer, type SerialStatus } from '#areas/authorities/service.ts'
import { signatureAlgorithmFor, signerInPlace, signWithKey, type SignInPlace } from '#areas/keys/service.ts'
import { findPublicAddress } from '#areas/tenancy/service.ts'
import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { openLane, type Lane } from '#core/server/lane.ts'
import { DerError } from '#standards/der/reader.ts'
import { concat, explicit, generalizedTime } from '#standards/der/writer.ts'
import { issuerFingerprint, issuerFingerprints, type CertId } from '#standards/ocsp/cert-id.ts'
import { buildPlainResponseData, hasNonce, plainIssuers, readPlainOcspRequest, type PlainAnswer } from '#standards/ocsp/plain.ts'
import { parseOcspRequest, type OcspRequest } from '#standards/ocsp/request.ts'
import {
  assembleOcspResponse,
  buildOcspResponseData,
  encodeCertStatus,
  encodeResponderId,
  lookAtOcspResponse,
  ocspErrorResponse,
  responderIdOf,
  type CertStatus,
  type OcspErrorStatus,
  type ResponderId,
  type SingleResponse,
} from '#standards/ocsp/response.ts'
import type { SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { X509Error } from '#standards/x509/error.ts'
import {
  addressKind,
  answerKeptMilliseconds,
  answerValidMilliseconds,
  ocspAnswersKept,
  ocspLeaseMilliseconds,
  ocspSigningAtOnce,
  type StatusSettings,
} from '../rules.ts'
import { keepingOf, type Holding } from './keeping.ts'
import type { CertifiedSigner } from './signer-store.ts'
import { servingSigner } from './signers.ts'
import { statusSettingsOf } from './store.ts'

/** `about`: when it was known to be so. */
export type OcspAnswer = { bytes: Uint8Array; about: Date | undefined; signature: Uint8Array | undefined }
/** `until`: by the monotonic clock. */
type Kept = { answer: OcspAnswer; until: number }
type Made = { answer: OcspAnswer; lasting: boolean }

/** Who signs the answers: the authority itself, or one that it has certified for this, whose certificate goes with each answer. */
type Signer = { keyId: string; algorithm: SignatureAlgorithm; certificate: Uint8Array; certificates: readonly Uint8Array[] }

/** What a process knows of one authority. */
type Desk = {
  tenantId: string
  issuer: Issuer
  signer: Signer
  responderId: ResponderId
  fingerprints: ReadonlySet<string>
  /** The same for requests that are as plain as can be: how the CertIDs begin, and the responder's name as it stands in an answer. */
  plain: { issuers: readonly Uint8Array[]; responderId: Uint8Array }
  revision: number
  settings: StatusSettings
  holding: Holding | undefined
  /** The status of a serial, read from the database together with those that others ask about at the same moment. */
  look: Lane<Uint8Array, SerialStatus | undefined>
  /** What was read so, under the same right. It lasts as long as this desk does. */
  statuses: Map<string, CertStatus>
  signInPlace: SignInPlace | undefined
  times: Times | undefined
  /** When the certificate of who signs ends. */
  signerEnds: number
  /** By the bytes of the request, and by the path of a GET that means one. A new map with each revision. */
  kept: Map<string, Kept>
  /** By the CertID as it was asked: who asks at the same moment waits for one signature. */
  signing: Map<string, Promise<Made>>
  /** By the monotonic clock. */
  leaseEnds: number
}

export type Responder = {
  /**
   * The answer where nothing must be waited for: it is in memory, or the request is plain and has a nonce, the status is known and the key quick. Its bytes
   * are to be copied before anything else is asked.
   */
  withoutWaiting(publicId: string, request: Buffer): OcspAnswer | undefined
  /** What is in memory by the path of a GET, where it was noted that it means a request. */
  keptByPath(publicId: string, path: string): OcspAnswer | undefined
  foundByPath(publicId: string, path: string, request: Buffer): void
  /** Always an OCSPResponse; never throws. */
  answer(publicId: string, request: Buffer): Promise<OcspAnswer>
}

const errorAnswer = (status: OcspErrorStatus): OcspAnswer => ({ bytes: ocspErrorResponse(status), about: undefined, signature: undefined })
/** Bytes as a text of as many characters, which a map finds quickest. */
const keyOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
/** No request begins so: the first byte of one is 0x30. */
const pathKey = (path: string): string => `/${path}`
/** Longer ones are not from clients that many others resemble. */
const longestKept = 512

export function openResponder(house: House): Responder {
  const keeping = keepingOf(house)
  const desks = new Map<string, Desk>()
  const renewals = new Map<string, Promise<Desk | undefined>>()
  let signingNow = 0

  return { withoutWaiting, keptByPath, foundByPath, answer }

  function keptByPath(publicId: string, path: string): OcspAnswer | undefined {
    return stillKept(fresh(publicId), pathKey(path))
  }

  function foundByPath(publicId: string, path: string, request: Buffer): void {
    const desk = desks.get(publicId)
    const known = desk?.kept.get(keyOf(request))
    if (desk !== undefined && known !== undefined && path.length <= 2 * longestKept) keepIn(desk.kept, pathKey(path), known)
  }

  /** The desk while what it keeps may be told. */
  function fresh(publicId: string): Desk | undefined {
    const desk = desks.get(publicId)
    const left = (desk?.leaseEnds ?? 0) - performance.now()
    if (desk?.holding?.lasts !== true || left <= 0) return undefined
    // Read anew while the old reading still counts, so that nobody waits for it.
    if (left < ocspLeaseMilliseconds / 2) renewed(publicId).catch(() => undefined)
    return desk
  }

  function withoutWaiting(publicId: string, bytes: Buffer): OcspAnswer | undefined {
    const desk = fresh(publicId)
    if (desk === undefined) return undefined
    const plain = readPlainOcspRequest(bytes, desk.plain.issuers)
    if (plain === undefined || !hasNonce(plain)) return stillKept(desk, keyOf(bytes))
    const status = desk.statuses.get(bytes.toString('latin1', plain.serialNumber, plain.certIdEnd))
    if (status === undefined || desk.signInPlace === undefined) return undefined
    const { thisUpdate, producedAt, validity } = timesOf(desk, house.now())
    const responseData = buildPlainResponseData(plain, {
      responderId: desk.plain.responderId,
      producedAt,
      certStatus: encodeCertStatus(status),
      validity,
    })
    const { algorithm: signatureAlgorithm, certificates } = desk.signer
    const signature = desk.signInPlace(signatureAlgorithm, responseData)
    return { bytes: lookAtOcspResponse({ responseData, signatureAlgorithm, signature, certificates }), about: thisUpdate, signature }
  }

  async function answer(publicId: string, bytes: Buffer): Promise<OcspAnswer> {
    try {
      const desk = await deskOf(publicId)
      const ready = withoutWaiting(publicId, bytes)
      if (ready !== undefined) return { ...ready, bytes: Buffer.from(ready.bytes) }
      const request = parseOcspRequest(bytes)
      return desk === undefined ? errorAnswer('unauthorized') : await respond(desk, request, bytes)
    } catch (error) {
      if (error instanceof DerError || error instanceof X509Error) return errorAnswer('malformedRequest')
      house.log.error({ error }, 'an OCSP request could not be answered')
      return errorAnswer('tryLater')
    }
  }

  async function deskOf(publicId: string): Promise<Desk | undefined> {
    return fresh(publicId) ?? (await renewed(publicId))
  }

  function renewed(publicId: string): Promise<Desk | undefined> {
    const running = renewals.get(publicId)
    if (running !== undefined) return running
    const renewal = renew(publicId, desks.get(publicId)).finally(() => renewals.delete(publicId))
    renewals.set(publicId, renewal)
    return renewal
  }

  async function renew(publicId: string, known: Desk | undefined): Promise<Desk | undefined> {
    const address =
      known === undefined
        ? await findPublicAddress(house.database, addressKind, publicId)
        : { tenantId: known.tenantId, target: known.issuer.caId }
    if (address === undefined) return undefined
    const { tenantId, target } = address
    // First the right to keep, then the reading: whoever changes something after the reading takes the right back. The lease counts from before both.
    const began = performance.now()
    const holding = await keeping.take(target)
    const read = await inTenant(house.database, tenantId, async (db) => ({
      issuer: await findIssuer(db, tenantId, target, house.now()),
      revision: await revisionOf(db, tenantId, target),
      settings: await statusSettingsOf(db, tenantId, target),
      delegated: await servingSigner(db, tenantId, target, house.now()),
    }))
    if (read.issuer === undefined) return undefined
    const { issuer, revision, settings } = read
    const signer = signerOf(issuer, settings, read.delegated)
    const leaseEnds = began + ocspLeaseMilliseconds
    const same =
      known !== undefined &&
      Buffer.compare(known.issuer.certificate, issuer.certificate) === 0 &&
      known.signer.keyId === signer.keyId &&
      isDeepStrictEqual(known.settings, settings)
    if (same && known.revision === revision && known.holding === holding) {
      known.leaseEnds = leaseEnds
      return known
    }
    const responder = parseCertificate(signer.certificate)
    const authority = parseCertificate(issuer.certificate)
    const responderId: ResponderId = settings.responderId === 'byKey' ? responderIdOf(responder) : { byName: responder.subjectEncoded }
    const desk: Desk = {
      tenantId,
      issuer,
      signer,
      responderId,
      fingerprints: new Set(issuerFingerprints(authority)),
      plain: { issuers: plainIssuers(authority), responderId: encodeResponderId(responderId) },
      revision,
      settings,
      holding,
      look: openLane({
        ways: 1,
        most: 256,
        carry: (serials) => statusesOf(house, tenantId, issuer.caId, serials),
        mayBeOneItems: () => false,
      }),
      statuses: new Map(),
      // A key that cannot be opened says why when it is asked to sign.
      signInPlace: await signerInPlace(house, tenantId, signer.keyId).catch(() => undefined),
      times: undefined,
      signerEnds: responder.notAfter.getTime(),
      kept: new Map(),
      signing: new Map(),
      leaseEnds,
    }
    desks.set(publicId, desk)
    return desk
  }

  async function respond(desk: Desk, request: OcspRequest, bytes: Buffer): Promise<OcspAnswer> {
    const ours = (certId: CertId) => desk.fingerprints.has(issuerFingerprint(certId))
    if (!request.certIds.some(ours)) return errorAnswer('unauthorized')
    if (request.nonce !== undefined) return (await sign(desk, request, ours)).answer

    const key = request.certIds.map(({ encoded }) => Buffer.from(encoded).toString('base64')).join(' ')
    // Who comes after a revocation does not wait for a signature that was begun before it.
    const begun = desk.holding?.lasts === true ? desk.signing.get(key) : undefined
    const together = begun ?? sign(desk, request, ours)
    desk.signing.set(key, together)
    try {
      const { answer: made, lasting } = await together
      if (lasting && desk.holding?.lasts === true && bytes.length <= longestKept) keep(desk, bytes, made)
      return made
    } finally {
      if (desk.signing.get(key) === together) desk.signing.delete(key)
    }
  }

  function keep(desk: Desk, request: Buffer, made: OcspAnswer): void {
    keepIn(desk.kept, keyOf(request), { answer: made, until: performance.now() + answerKeptMilliseconds(desk.settings) })
  }

  async function sign(desk: Desk, request: OcspRequest, ours: (certId: CertId) => boolean): Promise<Made> {
    if (signingNow >= ocspSigningAtOnce) return { answer: errorAnswer('tryLater'), lasting: false }
    signingNow += 1
    try {
      return await makeAnswer(desk, request, ours)
    } finally {
      signingNow -= 1
    }
  }

  async function makeAnswer(desk: Desk, request: OcspRequest, ours: (certId: CertId) => boolean): Promise<Made> {
    const {
      tenantId,
      signer: { keyId, algorithm },
    } = desk
    const statuses = await Promise.all(request.certIds.map((certId) => (ours(certId) ? statusOf(desk, certId.serialNumber) : unknown)))
    const { thisUpdate, responseData } = dataOf(desk, request, statuses)
    const signature =
      desk.signInPlace?.(algorithm, responseData) ?? (await signWithKey(house, { tenantId, keyId, algorithm, data: responseData }))
    return {
      answer: assembled(desk, thisUpdate, responseData, signature),
      // A certificate may be issued under a serial that is unknown now, and issuing raises no revision.
      lasting: statuses.every(({ status }) => status !== 'unknown'),
    }
  }

  async function statusOf(desk: Desk, serial: Uint8Array): Promise<CertStatus> {
    const known = desk.holding?.lasts === true ? desk.statuses.get(keyOf(serial)) : undefined
    if (known !== undefined) return known
    const status = statusFrom(await desk.look(serial))
    // Read under the right to keep: a change since then has taken it back. What is unknown may be issued at any time.
    if (status.status !== 'unknown' && desk.holding?.lasts === true) keepIn(desk.statuses, keyOf(serial), status)
    return status
  }

  function dataOf(desk: Desk, request: OcspRequest, statuses: readonly CertStatus[]): { thisUpdate: Date; responseData: Uint8Array } {
    const { thisUpdate, nextUpdate } = timesOf(desk, house.now())
    const responses = request.certIds.map((certId, at): SingleResponse => ({
      ...(statuses[at] ?? { status: 'unknown' }),
      certId,
      thisUpdate,
      nextUpdate,
    }))
    return {
      thisUpdate,
      responseData: buildOcspResponseData({ responderId: desk.responderId, producedAt: thisUpdate, responses, nonce: request.nonce }),
    }
  }
}

const unknown: CertStatus = { status: 'unknown' }

function assembled(
  { signer: { algorithm: signatureAlgorithm, certificates } }: Desk,
  about: Date,
  responseData: Uint8Array,
  signature: Uint8Array,
): OcspAnswer {
  return { bytes: assembleOcspResponse({ responseData, signatureAlgorithm, signature, certificates }), about, signature }
}

/** Where it has not stood too long. */
function stillKept(desk: Desk | undefined, key: string): OcspAnswer | undefined {
  const known = desk?.kept.get(key)
  return known !== undefined && performance.now() < known.until ? known.answer : undefined
}

type Times = Pick<PlainAnswer, 'producedAt' | 'validity'> & { thisUpdate: Date; nextUpdate: Date }

/** Thousands of answers are given in one second, and say the same of it. None is valid for longer than the certificate of who signs it. */
function timesOf(desk: Desk, now: Date): Times {
  const second = Math.floor(now.getTime() / 1000) * 1000
  if (desk.times?.thisUpdate.getTime() === second) return desk.times
  const usual = second + answerValidMilliseconds(desk.settings)
  const [thisUpdate, nextUpdate] = [new Date(second), new Date(desk.signerEnds > second ? Math.min(usual, desk.signerEnds) : usual)]
  const producedAt = generalizedTime(thisUpdate)
  return (desk.times = { thisUpdate, nextUpdate, producedAt, validity: concat(producedAt, explicit(0, generalizedTime(nextUpdate))) })
}

/** The oldest goes where there are too many. */
function keepIn<T>(map: Map<string, T>, key: string, one: T): void {
  map.set(key, one)
  const oldest = map.size > ocspAnswersKept ? map.keys().next().value : undefined
  if (oldest !== undefined) map.delete(oldest)
}

function signerOf(
  { keyId, signatureAlgorithm, certificate }: Issuer,
  { signedBy }: StatusSettings,
  delegated: CertifiedSigner | undefined,
): Signer {
  if (signedBy === 'authority' || delegated === undefined) return { keyId, algorithm: signatureAlgorithm, certificate, certificates: [] }
  return {
    keyId: delegated.key_id,
    algorithm: signatureAlgorithmFor(delegated.key_algorithm),
    certificate: delegated.certificate,
    certificates: [delegated.certificate],
  }
}

/** What was reserved and never signed is not a certificate. */
function statusFrom(found: SerialStatus | undefined): CertStatus {
  if (found?.revocation !== undefined) return { status: 'revoked', revocationTime: found.revocation.at, reason: found.revocation.reason }
  return found?.state === 'signed' ? { status: 'good' } : { status: 'unknown' }
}
