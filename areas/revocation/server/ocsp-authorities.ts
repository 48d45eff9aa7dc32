// Holds what a process knows of the authorities whose OCSP requests it answers: settings, signer, and the answers cached under a lease (cache-lease.ts).
// It reads the database again every half second. Cached answers belong to one revision of the authority's statuses and are dropped with it.

import { isDeepStrictEqual } from 'node:util'
import { findIssuer, revisionOf, statusesOf, type Issuer, type SerialStatus } from '#areas/authorities/service.ts'
import { signatureAlgorithmFor, signerInPlace, type SignInPlace } from '#areas/keys/service.ts'
import { findPublicAddress } from '#areas/tenancy/service.ts'
import { openBatcher, type Batcher } from '#core/server/batcher.ts'
import { inTenant } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import { issuerFingerprints } from '#standards/ocsp/cert-id.ts'
import { plainIssuers, type PlainAnswer } from '#standards/ocsp/plain.ts'
import { encodeResponderId, responderIdOf, type CertStatus, type ResponderId } from '#standards/ocsp/response.ts'
import type { SignatureAlgorithm } from '#standards/x509/algorithms.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { addressKind, ocspLeaseMilliseconds, type StatusSettings } from '../rules.ts'
import { leasesOf, type Lease } from './cache-lease.ts'
import type { CertifiedSigner } from './signer-store.ts'
import { servingSigner } from './signers.ts'
import { statusSettingsOf } from './store.ts'

/** `about`: when it was known to be so. */
export type OcspAnswer = { bytes: Uint8Array; about: Date | undefined; signature: Uint8Array | undefined }
/** `until`: by the monotonic clock. */
export type CachedAnswer = { answer: OcspAnswer; until: number }
export type Made = { answer: OcspAnswer; lasting: boolean }

/** What all answers of one second say of it. */
export type Times = Pick<PlainAnswer, 'producedAt' | 'validity'> & { thisUpdate: Date; nextUpdate: Date }

/** Who signs the answers: the authority itself, or one that it has certified for this, whose certificate goes with each answer. */
type Signer = { keyId: string; algorithm: SignatureAlgorithm; certificate: Uint8Array; certificates: readonly Uint8Array[] }

/** What a process knows of one authority. */
export type ServedAuthority = {
  tenantId: string
  issuer: Issuer
  signer: Signer
  responderId: ResponderId
  fingerprints: ReadonlySet<string>
  /** The same for requests that are as plain as can be: how the CertIDs begin, and the responder's name as it stands in an answer. */
  plain: { issuers: readonly Uint8Array[]; responderId: Uint8Array }
  revision: number
  settings: StatusSettings
  lease: Lease | undefined
  /** The status of a serial, read from the database together with those that others ask about at the same moment. */
  readStatus: Batcher<Uint8Array, SerialStatus | undefined>
  /** What was read so, under the same right. It lasts as long as this object does. */
  statuses: Map<string, CertStatus>
  signInPlace: SignInPlace | undefined
  times: Times | undefined
  /** When the certificate of who signs ends. */
  signerEnds: number
  /** By the bytes of the request, and by the path of a GET that means one. A new map with each revision. */
  answers: Map<string, CachedAnswer>
  /** By the CertID as it was asked: who asks at the same moment waits for one signature. */
  signing: Map<string, Promise<Made>>
  /** By the monotonic clock. */
  leaseEnds: number
}

export type ServedAuthorities = {
  /** Gives the authority while what is kept of it may be told. */
  fresh(publicId: string): ServedAuthority | undefined
  /** Gives the authority as it was read last, whether or not that may be told. */
  lastRead(publicId: string): ServedAuthority | undefined
  /** Reads it where it is not fresh. Undefined where there is none. */
  read(publicId: string): Promise<ServedAuthority | undefined>
}

export function openServedAuthorities(house: House): ServedAuthorities {
  const served = new Map<string, ServedAuthority>()
  const renewals = new Map<string, Promise<ServedAuthority | undefined>>()

  return { fresh, lastRead: (publicId) => served.get(publicId), read: async (publicId) => fresh(publicId) ?? (await renewed(publicId)) }

  function fresh(publicId: string): ServedAuthority | undefined {
    const authority = served.get(publicId)
    const left = (authority?.leaseEnds ?? 0) - performance.now()
    if (authority?.lease?.valid !== true || left <= 0) return undefined
    // Read anew while the old reading still counts, so that nobody waits for it.
    if (left < ocspLeaseMilliseconds / 2) renewed(publicId).catch(() => undefined)
    return authority
  }

  function renewed(publicId: string): Promise<ServedAuthority | undefined> {
    const running = renewals.get(publicId)
    if (running !== undefined) return running
    const renewal = renew(publicId, served.get(publicId)).finally(() => renewals.delete(publicId))
    renewals.set(publicId, renewal)
    return renewal
  }

  async function renew(publicId: string, known: ServedAuthority | undefined): Promise<ServedAuthority | undefined> {
    const reading = await readAuthority(house, publicId, known)
    if (reading === undefined) return undefined
    if (known !== undefined && isUnchanged(known, reading)) {
      known.leaseEnds = reading.leaseEnds
      return known
    }
    const authority = await servedOf(house, reading)
    served.set(publicId, authority)
    return authority
  }
}

type Reading = Pick<ServedAuthority, 'tenantId' | 'issuer' | 'signer' | 'revision' | 'settings' | 'lease' | 'leaseEnds'>

async function readAuthority(house: House, publicId: string, known: ServedAuthority | undefined): Promise<Reading | undefined> {
  const address =
    known === undefined
      ? await findPublicAddress(house.database, addressKind, publicId)
      : { tenantId: known.tenantId, target: known.issuer.caId }
  if (address === undefined) return undefined
  const { tenantId, target } = address
  // First the right to keep, then the reading: whoever changes something after the reading takes the right back. The lease counts from before both.
  const began = performance.now()
  const lease = await leasesOf(house).acquire(target)
  const { issuer, delegated, revision, settings } = await inTenant(house.database, tenantId, async (db) => ({
    issuer: await findIssuer(db, tenantId, target, house.now()),
    revision: await revisionOf(db, tenantId, target),
    settings: await statusSettingsOf(db, tenantId, target),
    delegated: await servingSigner(db, tenantId, target, house.now()),
  }))
  if (issuer === undefined) return undefined
  const signer = signerOf(issuer, settings, delegated)
  return { tenantId, issuer, signer, revision, settings, lease, leaseEnds: began + ocspLeaseMilliseconds }
}

const isUnchanged = (known: ServedAuthority, { issuer, signer, revision, settings, lease }: Reading): boolean =>
  Buffer.compare(known.issuer.certificate, issuer.certificate) === 0 &&
  known.signer.keyId === signer.keyId &&
  isDeepStrictEqual(known.settings, settings) &&
  known.revision === revision &&
  known.lease === lease

async function servedOf(house: House, reading: Reading): Promise<ServedAuthority> {
  const { tenantId, issuer, signer, settings } = reading
  const responder = parseCertificate(signer.certificate)
  const authority = parseCertificate(issuer.certificate)
  const responderId: ResponderId = settings.responderId === 'byKey' ? responderIdOf(responder) : { byName: responder.subjectEncoded }
  return {
    ...reading,
    responderId,
    fingerprints: new Set(issuerFingerprints(authority)),
    plain: { issuers: plainIssuers(authority), responderId: encodeResponderId(responderId) },
    readStatus: openBatcher({
      maxParallel: 1,
      maxSize: 256,
      runBatch: (serials) => statusesOf(house, tenantId, issuer.caId, serials),
      mayBeFaultOfOne: () => false,
    }),
    statuses: new Map(),
    // A key that cannot be opened says why when it is asked to sign.
    signInPlace: await signerInPlace(house, tenantId, signer.keyId).catch(() => undefined),
    times: undefined,
    signerEnds: responder.notAfter.getTime(),
    answers: new Map(),
    signing: new Map(),
  }
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
