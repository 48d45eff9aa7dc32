// Renewals: another certificate in the place of one that ends. A renewal is a request like any other and takes the same path, with the template's rules of
// that day, its lint and its approvals. It differs in what it brings: the names that were asked for then, and, where the key stays, the key that was
// proven then. The database keeps one such request for each certificate (0007-renewals.sql), whoever asks for it and wherever.

import { randomUUID } from 'node:crypto'
import { findApprovalOf } from '#areas/approvals/service.ts'
import { findUsableIssuer } from '#areas/authorities/licensing.ts'
import { refusal, refusalOfFinding } from '#areas/authorities/refusals.ts'
import { reasonStopped } from '#areas/authorities/service.ts'
import { isHolderKey } from '#areas/keys/rules.ts'
import { licenceFault } from '#areas/licensing/service.ts'
import type { Finding } from '#areas/templates/preview.ts'
import { keyKindOf, readStoredRequest } from '#areas/templates/requests.ts'
import { findTemplate, type Template } from '#areas/templates/service.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import { dayText } from '#core/contract/days.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { isHold } from '#standards/crl/reasons.ts'
import { say } from '#standards/say/say.ts'
import { parseCertificate } from '#standards/x509/certificate.ts'
import { checkRequestedKey } from '#standards/x509/key-checks.ts'
import type { PublicKeyInfo } from '#standards/x509/public-key-info.ts'
import { describeKey } from '#standards/x509/public-key.ts'
import { clause, namesChanged, refusalOf, wantsNewKey, type RefusalKind, type RenewalRefusal } from '../../renewal-rules.ts'
import type { RequestStage } from '../../rules.ts'
import { certificateById } from '../inventory/certificate-store.ts'
import { sharedFactorRefusal } from '../inventory/seen-moduli.ts'
import { oldKeyRefusal } from '../inventory/siblings.ts'
import type { CertificateRecord, RequestRecord } from '../store.ts'
import { internalContext } from './internal-request.ts'
import { checkLargeKey } from './large-keys.ts'
import { finderIn, inputHash, prepare, readCsr, type SuppliedKey, type Draft } from './prepare.ts'
import { findRequest, newestRenewalOf, renewalOf } from './request-store.ts'
import { issueOrLeave, place, sampleOf } from './submit.ts'
import { subjectOf, voterOf } from './voting.ts'

/** `same`: the key stays. `made`: one is made here when it is collected. Else the holder's new one, in a CSR. */
export type RenewalKey = 'same' | 'made' | { csr: string }

export type Renewal = {
  tenantId: string
  certificateId: string
  key: RenewalKey
  viewer: Viewer
  by: string
  /** From where it was asked. */
  address?: string | undefined
  comment: string
  /** Before its time, by somebody who knows that: it need not last much longer than the one that it renews. */
  early?: boolean
}

/** Where the request of a renewal stands. */
export type RenewalRequest = {
  requestId: string
  stage: RequestStage
  certificateId: string | undefined
  error: string
  /** What was noticed of its request. */
  findings: Finding[]
  requesterId: string
  /** Who collects a key that is made here. */
  collectorId: string
}
export type RenewalOutcome = RenewalRequest | { refused: RenewalRefusal }

type Ready = { draft: Draft; supplied: SuppliedKey | undefined; sample: Uint8Array }

/** Whether it could be renewed this way now, or as things are at a later moment, and why not. Nothing is written. Not inside a transaction. */
export async function checkRenewal(house: House, renewal: Renewal, at = house.now()): Promise<RenewalRefusal | undefined> {
  const ready = await prepareRenewal(house, renewal, at)
  return 'refused' in ready ? { ...ready.refused, says: notYetPast(ready.refused.says, house.now()) } : undefined
}

/** What was looked at ahead has not ended yet. */
const notYetPast = (says: string, now: Date): string =>
  says.replaceAll(/\bended on (\d{4}-\d\d-\d\d)/g, (past, end: string) => (end >= dayText(now) ? `ends on ${end}` : past))

/** Makes the request that renews the certificate, or finds the one that does, and issues what nobody must agree to. Not inside a transaction. */
export async function requestRenewal(house: House, renewal: Renewal): Promise<RenewalOutcome> {
  const { tenantId, certificateId, viewer, by, address } = renewal
  const before = await inTenant(house.database, tenantId, (db) => renewalOf(db, tenantId, certificateId))
  // What was agreed to, and left behind by a crash, goes on now.
  if (before !== undefined) return finished(house, before)
  const ready = await prepareRenewal(house, renewal)
  if ('refused' in ready) return ready
  const { draft, supplied, sample } = ready
  const context = internalContext(house, viewer, {
    key: `renewal:${randomUUID()}`,
    actor: { userId: viewer.userId, name: by, ...(address === undefined ? {} : { address }) },
  })
  try {
    const placed = await context.transact((work) =>
      place(work, context, { door: 'anybody', draft, supplied, sample, hash: inputHash(draft) }),
    )
    if ('faults' in placed) return { refused: refusalOf(placed.faults) }
    const request = await inTenant(house.database, tenantId, (db) => findRequest(db, tenantId, placed.requestId))
    if (request === undefined) throw new Error(`The request ${placed.requestId} is gone`)
    return await finished(house, request)
  } catch (error) {
    if (error instanceof Fault && error.status < 500)
      return { refused: refusalOf(error.detail.fields ?? [{ field: '', says: error.message }]) }
    throw error
  }
}

async function finished(house: House, request: RequestRecord): Promise<RenewalRequest> {
  const { stage, certificateId, error } = await issueOrLeave(house, request.tenant_id, request)
  return { ...renewalRequest(request), stage, certificateId, error }
}

const renewalRequest = ({
  id: requestId,
  stage,
  certificate_id: certificateId,
  error,
  findings,
  requester_id: requesterId,
  holder_user_id: holderId,
}: RequestRecord): RenewalRequest => ({
  requestId,
  stage,
  certificateId: certificateId ?? undefined,
  error,
  findings,
  requesterId,
  collectorId: holderId ?? requesterId,
})

/** Where the newest request that renews this certificate stands, also one that came to nothing. */
export async function renewalRequestOf(db: Database, tenantId: string, certificateId: string): Promise<RenewalRequest | undefined> {
  const request = await newestRenewalOf(db, tenantId, certificateId)
  return request && renewalRequest(request)
}

/** Whether this person's vote on the request of a renewal would count. */
export async function decidesOn(db: Database, viewer: Viewer, { requestId }: Pick<RenewalRequest, 'requestId'>): Promise<boolean> {
  const opened = await findApprovalOf(db, subjectOf(viewer.tenantId, requestId), voterOf(viewer))
  return opened !== undefined && opened.refusal === undefined
}

const refused = (kind: RefusalKind, { says }: Pick<Refusal, 'says'>): { refused: RenewalRefusal } => ({
  refused: { kind, says: clause(says) },
})

async function prepareRenewal(
  house: House,
  { tenantId, certificateId, key, viewer, comment, early }: Renewal,
  now = house.now(),
): Promise<Ready | { refused: RenewalRefusal }> {
  const found = await inTenant(house.database, tenantId, (db) => lookUp(db, tenantId, certificateId, now))
  if ('refused' in found) return found
  const { record, original, template, holderId } = found
  const offered =
    typeof key === 'object'
      ? await readCsr(house, { tenantId, userId: viewer.userId }, key)
      : key === 'same'
        ? await keyAgain(house, record, original, template)
        : undefined
  if (offered !== undefined && 'faults' in offered) return { refused: refusalOf(offered.faults) }
  if (typeof key === 'object' && offered !== undefined) {
    const old = await inTenant(house.database, tenantId, (db) =>
      oldKeyRefusal(db, tenantId, offered.csr.publicKey.spki, { renews: record.id, wantsNew: wantsNewKey(template) }),
    )
    if (old !== undefined) return refused('key', old)
  }
  const draft: Draft = {
    templateId: template.id,
    entity: record.entity,
    values: original.typed,
    friendlyName: record.friendly_name,
    contactEmail: record.contact_email,
    comment,
    renews: record.id,
    ...(holderId === undefined ? {} : { userId: holderId }),
    ...(key === 'made' && original.key_kind !== null && template.rules.keys.includes(original.key_kind) && isHolderKey(original.key_kind)
      ? { key: original.key_kind }
      : {}),
  }
  const sample = await sampleOf(draft, offered, () => Promise.resolve(template))
  const prepared = await inTenant(house.database, tenantId, (db) =>
    prepare(finderIn(db, tenantId, now), { viewer, door: 'anybody', draft, supplied: offered, sample, now }),
  )
  if ('faults' in prepared) {
    if (prepared.faults.some(({ code }) => code === 'templateNotOffered'))
      return refused('holder', refusal('renewalNotOffered', { person: viewer.username, template: nameOf(template) }))
    return {
      refused: refusalOf(
        prepared.faults,
        prepared.findings.filter(({ severity }) => severity !== 'warn').map(({ code }) => code),
      ),
    }
  }
  const changed = namesChanged(original.plan, { draft: prepared.draft, extensions: template.extensions })
  if (changed !== undefined) return refused('names', refusal('renewalNamesChange', changed))
  const { planned, issuer } = prepared
  // With little more than what is left it would soon be due again, and again. Before its time it may be the key that is to change, or the issuer.
  const [gain, life] = [planned.notAfter.getTime() - record.not_after.getTime(), planned.notAfter.getTime() - planned.notBefore.getTime()]
  const hardly = { until: dayText(planned.notAfter), compared: early === true ? say`before` : say`hardly later than` }
  if (gain < (early === true ? 0 : life / 10))
    return planned.notAfter < issuer.notAfter
      ? refused('soon', refusal('renewalTooSoon', hardly))
      : refused(
          'end',
          refusal('renewalAuthorityEndsSoon', { ...hardly, authority: issuer.friendlyName, authorityUntil: dayText(issuer.notAfter) }),
        )
  return { draft, supplied: offered, sample }
}

const nameOf = ({ displayName, templateName }: Template): string => displayName || templateName

type Found = { record: CertificateRecord; original: RequestRecord; template: Template; holderId: string | undefined }

/** Whether there is still all that it takes: the certificate itself, its template, its authority and its holder. */
async function lookUp(db: Database, tenantId: string, certificateId: string, now: Date): Promise<Found | { refused: RenewalRefusal }> {
  const record = await certificateById(db, tenantId, certificateId)
  if (record === undefined) throw new Error(`There is no certificate ${certificateId}`)
  const original = record.request_id === null ? undefined : await findRequest(db, tenantId, record.request_id)
  if (record.ca_id === null || record.template_id === null || original === undefined)
    return refused('external', refusal('renewalExternal', undefined))
  if (record.revoked_at !== null)
    return isHold(record.revocation_reason)
      ? refused('onHold', refusal('renewalOnHold', undefined))
      : refused('revoked', refusal('renewalRevoked', undefined))
  const template = await findTemplate(db, tenantId, record.template_id, now)
  if (template === undefined) return refused('template', refusal('renewalTemplateGone', { template: record.template_name }))
  const issuer = await findUsableIssuer(db, tenantId, template.caId, now)
  const unlicensed = issuer && licenceFault(issuer, template, now)
  if (unlicensed !== undefined) return refused(template.granted === false ? 'template' : 'authority', unlicensed)
  if (!template.enabled) return refused('template', refusal('renewalTemplateDisabled', { template: nameOf(template) }))
  if (issuer === undefined) return refused('authority', refusal('authorityGone', { authority: record.ca_name }))
  const stopped = reasonStopped(issuer)
  if (stopped !== undefined) return refused('authority', stopped)
  if (issuer.status !== 'ActiveCert')
    return refused(
      'authority',
      now > issuer.notAfter
        ? refusal('renewalAuthorityEnded', { authority: issuer.friendlyName, until: dayText(issuer.notAfter) })
        : refusal('renewalAuthorityNotYetValid', { authority: issuer.friendlyName }),
    )
  const holder = record.holder_user_id === null ? undefined : await findPerson(db, tenantId, record.holder_user_id)
  if (record.holder_user_id !== null && holder === undefined)
    return refused('holder', refusal('renewalHolderGone', { holder: record.holder || 'The holder' }))
  if (holder?.enabled === false) return refused('holder', refusal('renewalHolderDisabled', { holder: fullName(holder) }))
  return { record, original, template, holderId: record.holder_user_id ?? undefined }
}

/**
 * The same key once more. It was proven when the certificate was issued, by the CSR that is kept or because it was made here, and is looked at as if it
 * were new: what counts as weak may have changed.
 */
async function keyAgain(
  house: House,
  record: CertificateRecord,
  original: RequestRecord,
  template: Template,
): Promise<SuppliedKey | { faults: Refusal[] }> {
  const { publicKey } = parseCertificate(record.certificate)
  await checkLargeKey(publicKey, record.id)
  if (original.csr !== null) {
    const read = readStoredRequest(original.csr)
    if ('faults' in read) return read
    const { statement: _proven, ...again } = read
    return (await shared(house, record.tenant_id, again.csr.publicKey)) ?? again
  }
  if (template.extensions.keyArchival === true && original.plan.extensions.keyArchival !== true)
    return { faults: [refusal('keyNotArchived', undefined)] }
  const unsound = checkRequestedKey(publicKey).flatMap(({ code, message, severity }) =>
    severity === 'error' ? [refusalOfFinding({ code, message, severity }, 'key')] : [],
  )
  if (unsound.length > 0) return { faults: unsound }
  return (
    (await shared(house, record.tenant_id, publicKey)) ?? {
      csr: { publicKey },
      key: keyKindOf(publicKey),
      keyText: describeKey(publicKey),
      findings: [],
    }
  )
}

async function shared(house: House, tenantId: string, publicKey: PublicKeyInfo): Promise<{ faults: Refusal[] } | undefined> {
  const found = await sharedFactorRefusal(house, tenantId, publicKey)
  return found === undefined ? undefined : { faults: [{ ...found, field: 'key' }] }
}
