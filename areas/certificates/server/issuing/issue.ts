// How certificates come out of requests one by one: reserve serial, bytes and record in one commit; sign; store in another commit. (immediate.ts is the other way.)
// A request's row is locked while it moves on, so a double click, two approvers, a retry and a recovery at the same time give one certificate;
// after a crash the same bytes are signed again.

import { createHash } from 'node:crypto'
import { findUsableIssuer, type UsableIssuer } from '#areas/authorities/licensing.ts'
import { refusal } from '#areas/authorities/refusals.ts'
import {
  refusalToIssue,
  reservationAbout,
  reserve,
  signReserved,
  storeSigned,
  voidReservation,
  type Issuer,
  type Reserved,
} from '#areas/authorities/service.ts'
import { atOwner, tellOwner } from '#areas/licensing/service.ts'
import { previewCertificate, validityOf } from '#areas/templates/preview.ts'
import { certificateParts } from '#areas/templates/requests.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { findAccount } from '#areas/users/rights.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import type { Emit, Viewer } from '#core/server/serve.ts'
import { isHold } from '#standards/crl/reasons.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { certificates } from '../../contract.ts'
import type { RequestStage } from '../../rules.ts'
import { changeCertificate, insertCertificate, lockCertificate } from '../inventory/certificate-store.ts'
import { keyRefusal, lateKeyRefusal } from '../inventory/refused-keys.ts'
import { takenKeyRefusal } from '../inventory/siblings.ts'
import { refusalsIn } from '../requests/prepare.ts'
import { changeRequest, lockRequest } from '../requests/request-store.ts'
import { bringsKey, type CertificateRecord, type RequestRecord } from '../store.ts'
import { certificateRecordOf } from './certificate-record.ts'
import { asOfToday, closedFor, closedSince, type Closed } from './eligibility.ts'
import { tellFailure, tellIssued } from './issued-mail.ts'
import { leftSince, lostSince, rightsAtStart, type RightsAtStart } from './rights.ts'

export type Issued = { stage: RequestStage; certificateId: string | undefined; serialHex: string | undefined; error: string }

type CertificateEmit = Emit<typeof certificates>

export const issuing = { name: 'Issuing' }

/** Brings an approved request to its certificate and says where it stands; any other request is left as it is. `acting`: whose call it is. Not inside a transaction. */
export async function issueRequest(house: House, tenantId: string, requestId: string, acting?: Viewer): Promise<Issued> {
  const due = await house.work(tenantId, issuing, ({ db, emitFor }) =>
    reserveRequest({ db, tenantId, requestId, now: house.now(), emit: emitFor(certificates) }, { acting }),
  )
  if ('stage' in due) return due
  const certificate = await signReserved(house, due.issuer, due.reserved)
  return house.work(tenantId, issuing, async ({ db, emitFor }) => {
    const moving = { db, tenantId, requestId, now: house.now(), emit: emitFor(certificates) }
    const { record, ...issued } = await storeRequest(moving, { ...due, certificate })
    if (record !== undefined) await tellIssued(db, house, record, house.now())
    return issued
  })
}

export const standOf = (request: Pick<RequestRecord, 'stage' | 'certificate_id' | 'serial_hex' | 'error'>): Issued => ({
  stage: request.stage,
  certificateId: request.certificate_id ?? undefined,
  serialHex: request.serial_hex ?? undefined,
  error: request.error,
})

/** Names a request that goes one step further in the open transaction. */
export type Moving = { db: Database; tenantId: string; requestId: string; now: Date; emit: CertificateEmit }

type Due = { request: RequestRecord; issuer: Issuer; reserved: Reserved; rights: RightsAtStart }

/**
 * For the first commit: the serial, the bytes to be signed and the record of both. `madeKey` is the public half of a key that the caller made
 * and holds; a request without a CSR is reserved with one and never without,
 * unless it renews a certificate with the key of that one.
 */
export async function reserveRequest(
  { db, tenantId, requestId, now, emit }: Moving,
  { madeKey, acting }: { madeKey?: Uint8Array | undefined; acting?: Viewer | undefined } = {},
): Promise<Due | Issued> {
  const asked = await lockRequest(db, tenantId, requestId)
  if (asked === undefined) throw new Error(`There is no request ${requestId}`)
  const due = !bringsKey(asked)
    ? madeKey !== undefined && asked.stage === 'awaitingKey'
    : asked.stage === 'approved' || asked.stage === 'reserved'
  if (!due) return standOf(asked)
  const issuer = await findUsableIssuer(db, tenantId, asked.ca_id, now)
  const rights = await rightsAtStart(db, tenantId, asked, acting)
  if (asked.stage === 'reserved') {
    const reserved = issuer && (await atOwner(db, tenantId, issuer.tenantId, () => reservationAbout(db, issuer.tenantId, requestId)))
    if (reserved === undefined || issuer === undefined) throw new Error(`The reservation of request ${requestId} is gone`)
    return { request: asked, issuer, reserved, rights }
  }
  const ready = await judgeAgain({ db, tenantId, now }, asked, { issuer, rights, madeKey })
  if ('refusal' in ready) return failRequest(db, asked, { ...ready, now, emit })
  const { request, publicKey, notBefore, notAfter } = ready
  const parts = certificateParts(request.plan.draft)
  const { caId, tenantId: ownerId } = ready.issuer
  const { reserved, tbsSha256 } = await atOwner(db, tenantId, ownerId, async () => {
    const made = await reserve(
      db,
      ready.issuer,
      { ...parts, notBefore, notAfter, publicKey, about: { kind: 'certificate', id: requestId } },
      now,
    )
    const digest = createHash('sha256').update(made.tbs).digest('hex')
    if (ownerId !== tenantId)
      await tellOwner(db, ownerId, 'licensedReserved', { caId, serialNumber: made.serialHex, tbsSha256: digest, tenantId, requestId }, now)
    return { reserved: made, tbsSha256: digest }
  })
  await changeRequest(db, tenantId, requestId, {
    stage: 'reserved',
    public_key: Buffer.from(publicKey),
    serial_hex: reserved.serialHex,
    updated_at: now,
  })
  if (madeKey !== undefined) emit('keyMade', { requestId }, requestId)
  emit('reserved', { requestId, caId, serialNumber: reserved.serialHex, tbsSha256 }, requestId)
  return { request, issuer: ready.issuer, reserved, rights }
}

type Judged = { request: RequestRecord; issuer: UsableIssuer; publicKey: Uint8Array; notBefore: Date; notAfter: Date }

/** Judges an approved request once more, as things are now and over what is really signed: authority, key and time may be others than when it was asked. */
async function judgeAgain(
  { db, tenantId, now }: Pick<Moving, 'db' | 'tenantId' | 'now'>,
  asked: RequestRecord,
  { issuer, rights, madeKey }: { issuer: UsableIssuer | undefined; rights: RightsAtStart; madeKey: Uint8Array | undefined },
): Promise<Judged | Closed> {
  const failed = (found: Refusal): Closed => ({ refusal: found, stage: 'failed' })
  const denied = (found: Refusal): Closed => ({ refusal: found, stage: 'denied' })
  const template = await findTemplate(db, tenantId, asked.template_id, now)
  const closed = closedFor(asked, { issuer, template }, now)
  if (closed !== undefined) return closed
  if (issuer === undefined || template === undefined)
    throw new Error(`The request ${asked.id} is open without its authority or its template`)
  const forfeited = await forfeitedSince(db, tenantId, asked, rights, now)
  if (forfeited !== undefined) return denied(forfeited)
  const publicKey = madeKey ?? asked.public_key
  if (publicKey === null) throw new Error(`The request ${asked.id} has no key`)
  const request = await asOfToday(db, asked, { template, rights, publicKey, now })
  if ('refused' in request) return denied(request.refused)
  const { draft, extensions } = request.plan
  const { notBefore, notAfter } = validityOf(extensions, issuer, now)
  const stopped = refusalToIssue(issuer, { notBefore, notAfter }, now)
  if (stopped !== undefined) return failed(stopped)
  const [wrong] = refusalsIn(previewCertificate(issuer, extensions, draft, publicKey, now, 'csr').findings)
  if (wrong !== undefined) return failed(wrong)
  const refusedKey = (await keyRefusal(db, tenantId, publicKey, issuer.tenantId)) ?? (await takenKeyRefusal(db, request, publicKey))
  return refusedKey === undefined ? { request, issuer, publicKey, notBefore, notAfter } : failed(refusedKey)
}

/** Ends it for good, and tells whoever asked. The caller holds its row locked. */
export async function failRequest(
  db: Database,
  request: RequestRecord,
  {
    refusal: found,
    stage = 'failed',
    now,
    emit,
  }: { refusal: Refusal; stage?: Closed['stage'] | undefined; now: Date; emit: CertificateEmit },
): Promise<Issued> {
  const reason = found.says
  await changeRequest(db, request.tenant_id, request.id, { stage, error: reason, updated_at: now })
  emit('failed', { requestId: request.id, reason }, request.id)
  await tellFailure(db, request, reason, now)
  return { stage, certificateId: undefined, serialHex: undefined, error: reason }
}

/** Whatever was agreed to before: who it is for may have left since, or lost the right to it, and what it renews may have been revoked. */
async function forfeitedSince(
  db: Database,
  tenantId: string,
  request: RequestRecord,
  rights: RightsAtStart,
  now: Date,
): Promise<Refusal | undefined> {
  const left = (await leftSince(db, tenantId, request)) ?? (await lostSince(db, tenantId, request, rights, now))
  if (left !== undefined || request.renews === null) return left
  const renewed = await lockCertificate(db, tenantId, request.renews)
  return renewed === undefined || renewed.revoked_at === null
    ? undefined
    : refusal(isHold(renewed.revocation_reason) ? 'renewedOnHold' : 'renewedRevoked', undefined)
}

async function badKey(
  db: Database,
  { tenant_id: tenantId, public_key: publicKey }: RequestRecord,
  ownerId: string,
): Promise<Closed | undefined> {
  const found = publicKey === null ? undefined : await lateKeyRefusal(db, tenantId, publicKey, ownerId)
  return found === undefined ? undefined : { refusal: found, stage: 'failed' }
}

/** For the second commit: the signed certificate, at its authority and in the inventory. `record` where this is the call that stored it. */
export async function storeRequest(
  { db, tenantId, requestId, now, emit }: Moving,
  { issuer, reserved, rights, certificate }: Omit<Due, 'request'> & { certificate: Uint8Array },
): Promise<Issued & { record?: CertificateRecord }> {
  const request = await lockRequest(db, tenantId, requestId)
  if (request === undefined) throw new Error(`There is no request ${requestId}`)
  // Another serial: a later try with another key has taken the place of this one.
  if (request.stage !== 'reserved' || request.serial_hex !== reserved.serialHex) return standOf(request)
  const { caId, tenantId: ownerId } = issuer
  // A slow key leaves time for that, too, and so does a crash.
  const validity = parseCertificate(certificate)
  const forfeited = await forfeitedSince(db, tenantId, request, rights, now)
  const lost =
    forfeited === undefined
      ? ((await closedSince(db, request, validity, now)) ?? (await badKey(db, request, ownerId)))
      : { refusal: forfeited, stage: 'denied' as const }
  if (lost !== undefined) {
    const serialNumbers = await atOwner(db, tenantId, ownerId, () => voidReservation(db, ownerId, requestId))
    emit('voided', { caId, serialNumbers }, caId)
    return failRequest(db, request, { ...lost, now, emit })
  }
  const first = await atOwner(db, tenantId, ownerId, async () => {
    if (ownerId !== tenantId)
      await tellOwner(db, ownerId, 'licensedIssued', { caId, serialNumber: reserved.serialHex, tenantId, requestId }, now)
    return storeSigned(db, issuer, reserved.serialHex, certificate, now)
  })
  if (!first) throw new Error(`The serial ${reserved.serialHex} was stored without its request`)
  const certificateId = timeOrderedId(now)
  const holder = request.holder_user_id === null ? undefined : await findPerson(db, tenantId, request.holder_user_id)
  const record = certificateRecordOf({ ...request, ...(await keeperRetained(db, request)) }, issuer, {
    id: certificateId,
    serialHex: reserved.serialHex,
    der: certificate,
    holder: holder === undefined ? '' : fullName(holder),
    validity,
    now,
  })
  await insertCertificate(db, record)
  if (request.renews !== null) await changeCertificate(db, tenantId, request.renews, { renewed_by: certificateId })
  await changeRequest(db, tenantId, requestId, { stage: 'issued', certificate_id: certificateId, error: '', updated_at: now })
  emit('issued', { requestId, certificateId, caId: issuer.caId, serialNumber: reserved.serialHex, class: request.class }, certificateId)
  return { stage: 'issued', certificateId, serialHex: reserved.serialHex, error: '', record }
}

/**
 * A device's certificate stays with whoever asked for it first, though somebody else renews it: they have the device, and are told when it ends. The
 * log names who renewed. Where they have left it goes to whoever did.
 */
async function keeperRetained(
  db: Database,
  { tenant_id: tenantId, renews, entity }: RequestRecord,
): Promise<Partial<Pick<RequestRecord, 'requester_id' | 'requester'>>> {
  const before = renews === null || entity !== 'device' ? undefined : await lockCertificate(db, tenantId, renews)
  const keeper = before?.requester_id == null ? undefined : await findAccount(db, tenantId, before.requester_id)
  return before?.requester_id == null || keeper?.enabled !== true ? {} : { requester_id: before.requester_id, requester: before.requester }
}
