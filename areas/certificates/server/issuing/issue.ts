// How certificates come out of requests one by one: reserve serial, bytes and record in one commit; sign; store in another commit. (at-once.ts is the other way.)
// A request's row is locked while it moves on, so a double click, two approvers, a retry and a recovery at the same time give one certificate;
// after a crash the same bytes are signed again.

import { createHash, hash } from 'node:crypto'
import { findUsableIssuer } from '#areas/authorities/licensing.ts'
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
import { mail } from '#areas/mail/contract.ts'
import { linkTo, queueMail } from '#areas/mail/service.ts'
import { previewCertificate, validityOf } from '#areas/templates/preview.ts'
import { certificateParts } from '#areas/templates/requests.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import { dayText } from '#core/contract/days.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import type { House } from '#core/server/house.ts'
import type { Emit, Viewer } from '#core/server/serve.ts'
import { isHold } from '#standards/crl/reasons.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { certificates } from '../../contract.ts'
import { myRequestPath } from '../../paths.ts'
import type { RequestStage } from '../../rules.ts'
import { changeCertificate, insertCertificate, lockCertificate } from '../inventory/certificate-store.ts'
import { keyRefusal, lateKeyRefusal } from '../inventory/refused-keys.ts'
import { takenKeyRefusal } from '../inventory/siblings.ts'
import { decisionText, pathFor } from '../requests/notices.ts'
import { refusalsIn } from '../requests/prepare.ts'
import { changeRequest, findRequest, lockRequest } from '../requests/request-store.ts'
import { bringsKey, type CertificateRecord, type RequestPlan, type RequestRecord } from '../store.ts'
import { leftSince, lostSince, rightsAtStart, type RightsAtStart } from './rights.ts'
import { asOfToday, closedFor, closedSince, type Closed } from './standing.ts'

export type Issued = { stage: RequestStage; certificateId: string | undefined; serialHex: string | undefined; error: string }

type CertificateEmit = Emit<typeof certificates>

export const issuing = { name: 'Issuing' }

/** Brings an approved request to its certificate and says where it stands; any other request is left as it is. `acting`: whose call it is. Not inside a transaction. */
export async function issueRequest(house: House, tenantId: string, requestId: string, acting?: Viewer): Promise<Issued> {
  const due = await house.work(tenantId, issuing, ({ db, emitFor }) =>
    reserveRequest(db, tenantId, requestId, house.now(), emitFor(certificates), { acting }),
  )
  if ('stage' in due) return due
  const certificate = await signReserved(house, due.issuer, due.reserved)
  return house.work(tenantId, issuing, async ({ db, emitFor, afterCommit }) => {
    afterCommit(() => house.wake(mail.jobs.send))
    const { record, ...issued } = await storeRequest(db, tenantId, requestId, { ...due, certificate }, house.now(), emitFor(certificates))
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

type Due = { request: RequestRecord; issuer: Issuer; reserved: Reserved; rights: RightsAtStart }

/**
 * For the first commit: the serial, the bytes to be signed and the record of both. `madeKey` is the public half of a key that the caller made
 * and holds; a request without a CSR is reserved with one and never without,
 * unless it renews a certificate with the key of that one.
 */
export async function reserveRequest(
  db: Database,
  tenantId: string,
  requestId: string,
  now: Date,
  emit: CertificateEmit,
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
  const fail = (found: Refusal, stage?: Closed['stage']) => failRequest(db, asked, { refusal: found, stage, now, emit })
  const template = await findTemplate(db, tenantId, asked.template_id, now)
  const closed = closedFor(asked, { issuer, template }, now)
  if (closed !== undefined) return fail(closed.refusal, closed.stage)
  if (issuer === undefined || template === undefined)
    throw new Error(`The request ${requestId} is open without its authority or its template`)
  const forfeited = await forfeitedSince(db, tenantId, asked, rights, now)
  if (forfeited !== undefined) return fail(forfeited, 'denied')
  const publicKey = madeKey ?? asked.public_key
  if (publicKey === null) throw new Error(`The request ${requestId} has no key`)
  const request = await asOfToday(db, asked, template, rights, publicKey, now)
  if ('refused' in request) return fail(request.refused, 'denied')
  // The same look that was taken when it was asked, now over what is really signed: authority, key and time may be others.
  const { draft, extensions } = request.plan
  const { notBefore, notAfter } = validityOf(extensions, issuer, now)
  const stopped = refusalToIssue(issuer, { notBefore, notAfter }, now)
  if (stopped !== undefined) return fail(stopped)
  const [wrong] = refusalsIn(previewCertificate(issuer, extensions, draft, publicKey, now, 'csr').findings)
  if (wrong !== undefined) return fail(wrong)
  const refusedKey = await keyRefusal(db, tenantId, publicKey, issuer.tenantId)
  if (refusedKey !== undefined) return fail(refusedKey)
  const taken = await takenKeyRefusal(db, request, publicKey)
  if (taken !== undefined) return fail(taken)
  const parts = certificateParts(draft)
  const { caId, tenantId: ownerId } = issuer
  const { reserved, tbsSha256 } = await atOwner(db, tenantId, ownerId, async () => {
    const made = await reserve(db, issuer, { ...parts, notBefore, notAfter, publicKey, about: { kind: 'certificate', id: requestId } }, now)
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
  return { request, issuer, reserved, rights }
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
  db: Database,
  tenantId: string,
  requestId: string,
  { issuer, reserved, rights, certificate }: Omit<Due, 'request'> & { certificate: Uint8Array },
  now: Date,
  emit: CertificateEmit,
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
  const record = certificateRecordOf(request, issuer, {
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

const commonNameIn = (draft: RequestPlan['draft']) => draft.subject.find(({ field }) => field === 'CN')?.value

/** What a certificate goes by: its common name, else the first of what else names its holder. */
export const nameOf = ({ plan: { draft } }: Pick<RequestRecord, 'plan'>, serialHex: string): string =>
  commonNameIn(draft) ?? draft.sans[0]?.value ?? draft.subject[0]?.value ?? serialHex

export type NewCertificate = {
  id: string
  serialHex: string
  der: Uint8Array
  holder: string
  validity: { notBefore: Date; notAfter: Date }
  now: Date
}

/** The inventory's row of a certificate, out of its request and its bytes. */
export function certificateRecordOf(
  request: RequestRecord,
  issuer: Issuer,
  { id, serialHex, der, holder, validity, now }: NewCertificate,
): CertificateRecord {
  const { draft, extensions } = request.plan
  const first = (field: string) => draft.sans.find(({ sanField }) => sanField === field)?.value
  const commonName = commonNameIn(draft)
  return {
    tenant_id: request.tenant_id,
    id,
    ca_id: issuer.caId,
    ca_name: issuer.friendlyName,
    serial_hex: serialHex,
    request_id: request.id,
    template_id: request.template_id,
    template_name: request.template_name,
    class: request.class,
    entity: request.entity,
    name: nameOf(request, serialHex),
    subject: request.subject,
    sans: draft.sans.map(({ value }) => value),
    email: first('RFC822') ?? draft.subject.find(({ field }) => field === 'emailAddress')?.value ?? '',
    holder_user_id: request.holder_user_id,
    holder,
    device_name: request.entity === 'device' ? (first('DNS') ?? commonName ?? '') : '',
    device_serial: draft.subject.find(({ field }) => field === 'serialNumber')?.value ?? '',
    requester_id: request.requester_id,
    requester: request.requester,
    friendly_name: request.friendly_name,
    contact_email: request.contact_email,
    renewal_mode: extensions.renewalMode,
    revocation_approvers: request.revocation_approvers,
    not_before: validity.notBefore,
    not_after: validity.notAfter,
    issued_at: now,
    revoked_at: null,
    revocation_reason: null,
    fingerprint_sha256: hash('sha256', der),
    certificate: Buffer.from(der),
    notices_sent: [],
    renewed_by: null,
  }
}

export async function tellIssued(db: Database, house: House, record: CertificateRecord, now: Date): Promise<void> {
  const requester = record.requester_id === null ? undefined : await findPerson(db, record.tenant_id, record.requester_id)
  if (requester === undefined) return
  const request = record.request_id === null ? undefined : await findRequest(db, record.tenant_id, record.request_id)
  const end = `It is valid until ${dayText(record.not_after)}.`
  const letter =
    request === undefined || request.renews === null
      ? {
          subject: `Certificate issued: ${record.name}`,
          text: `The certificate for ${record.name} that you requested was issued by ${record.ca_name}. ${end}`,
          path: await pathFor(db, requester.id, record),
        }
      : {
          subject: `Certificate renewed: ${record.name}`,
          text: `The certificate for ${record.name} was renewed by ${record.ca_name}. ${end} Fetch the new one and put it in the place of the old one, which ends soon.`,
          path: myRequestPath(record.entity, request.id),
        }
  await queueMail(
    db,
    {
      tenantId: record.tenant_id,
      to: { userId: requester.id, emailAddress: requester.emailAddress },
      kind: 'requestDecided',
      subject: letter.subject,
      text: `${letter.text}${record.request_id === null ? '' : await decisionText(db, record.tenant_id, record.request_id)}`,
      link: linkTo(house, letter.path),
    },
    now,
  )
}

async function tellFailure(db: Database, request: RequestRecord, reason: string, now: Date): Promise<void> {
  const requester = await findPerson(db, request.tenant_id, request.requester_id)
  if (requester === undefined) return
  await queueMail(
    db,
    {
      tenantId: request.tenant_id,
      to: { userId: requester.id, emailAddress: requester.emailAddress },
      kind: 'requestDecided',
      subject: `Certificate not issued: ${request.subject}`,
      text: `Your request for ${request.subject} was agreed to, but could not be issued: ${reason}.`,
    },
    now,
  )
}
