// Checks whether the template, the licence and the authority of a request still allow it. What approvers agreed to stays as they agreed to it; what needed
// no approval is checked by the rules and rights of the day on which its certificate is made.

import { findUsableIssuer, type UsableIssuer } from '#areas/authorities/licensing.ts'
import { refusal } from '#areas/authorities/refusals.ts'
import { refusalToIssue } from '#areas/authorities/service.ts'
import { licenceFault } from '#areas/licensing/service.ts'
import { readStoredRequest } from '#areas/templates/requests.ts'
import { findTemplate, type Template } from '#areas/templates/service.ts'
import type { Refusal } from '#core/contract/refusal.ts'
import type { Database } from '#core/server/database.ts'
import { anonymous } from '../../rules.ts'
import { doorOf, mayUse } from '../policy.ts'
import { finderIn, prepare, type Draft } from '../requests/prepare.ts'
import { changeRequest } from '../requests/request-store.ts'
import type { RequestRecord } from '../store.ts'
import type { RightsAtStart } from './rights.ts'

/** Says why a request is not issued, and how it ends. */
export type Closed = { refusal: Refusal; stage: 'failed' | 'denied' }

type Offer = { issuer: UsableIssuer | undefined; template: Template | undefined }

/** Finds what the template, its licence or the authority have against the request now. */
export function closedFor(request: RequestRecord, { issuer, template }: Offer, now: Date): Closed | undefined {
  const failed = (found: Refusal): Closed => ({ refusal: found, stage: 'failed' })
  if (issuer === undefined) return failed(refusal('authorityGone', { authority: request.ca_name }))
  const unlicensed = licenceFault(issuer, template, now)
  if (unlicensed !== undefined) return failed(unlicensed)
  if (template?.enabled !== true || template.ownerId !== issuer.tenantId)
    return failed(refusal('templateNotInUse', { template: request.template_name }))
  return request.requester_id === anonymous.id && !template.anonymousEnabled
    ? { refusal: refusal('templateNotAnonymous', { template: request.template_name }), stage: 'denied' }
    : undefined
}

/** Checks the same after a slow key has signed, and also what the authority may sign now and, where nobody approved the request, whether the template has changed. */
export async function closedSince(
  db: Database,
  request: RequestRecord,
  validity: { notBefore: Date; notAfter: Date },
  now: Date,
): Promise<Closed | undefined> {
  const issuer = await findUsableIssuer(db, request.tenant_id, request.ca_id, now)
  const template = await findTemplate(db, request.tenant_id, request.template_id, now)
  const closed = closedFor(request, { issuer, template }, now)
  if (closed !== undefined) return closed
  const stopped = issuer && refusalToIssue(issuer, validity, now)
  if (stopped !== undefined) return { refusal: stopped, stage: 'failed' }
  return template === undefined || isAsAsked(request, template) ? undefined : { refusal: changedSince(request), stage: 'denied' }
}

const isAsAsked = (request: RequestRecord, template: Template): boolean =>
  request.approvers_needed > 0 || request.template_version === template.version

const changedSince = ({ template_name: template }: RequestRecord): Refusal => refusal('templateChanged', { template })

/**
 * Prepares a request again by the rules of today, with this key, or says why it would be refused. One that others approved stays as it is. A renewal is refused
 * when its template has changed, because its certificate must not differ from the one before.
 */
export async function asOfToday(
  db: Database,
  request: RequestRecord,
  { template, rights: { asks }, publicKey, now }: { template: Template; rights: RightsAtStart; publicKey: Uint8Array; now: Date },
): Promise<RequestRecord | { refused: Refusal }> {
  if (request.approvers_needed > 0) return request
  if (request.renews !== null) return isAsAsked(request, template) ? request : { refused: changedSince(request) }
  const { tenant_id: tenantId, requester_id: userId, entity, holder_user_id: holderId } = request
  const door = doorOf(request)
  if (asks === undefined || !mayUse(template, { ...asks, userId }, door, entity, holderId ?? userId))
    return { refused: refusal('requesterMayNotAsk', undefined) }
  if (isAsAsked(request, template)) return request
  if (template.caId !== request.ca_id) return { refused: changedSince(request) }
  const supplied = request.csr === null ? undefined : readStoredRequest(request.csr)
  if (supplied !== undefined && 'faults' in supplied) return { refused: supplied.faults[0] ?? changedSince(request) }
  const prepared = await prepare(finderIn(db, tenantId, now), {
    viewer: { ...asks, tenantId, userId },
    door,
    draft: draftOf(request),
    supplied,
    sample: publicKey,
    now,
  })
  if ('faults' in prepared) return { refused: prepared.faults[0] ?? changedSince(request) }
  if (prepared.needed > 0) return { refused: refusal('templateWantsApproval', { template: request.template_name }) }
  const parts = {
    plan: { ...request.plan, draft: prepared.draft, extensions: template.extensions },
    findings: prepared.findings,
    typed: request.typed,
  }
  const columns = { template_version: template.version, revocation_approvers: template.revocationApprovers }
  await changeRequest(db, tenantId, request.id, columns, parts)
  return { ...request, ...columns, ...parts }
}

const draftOf = ({
  template_id: templateId,
  entity,
  typed: values,
  friendly_name: friendlyName,
  contact_email: contactEmail,
  comment,
  holder_user_id: userId,
  key_kind: key,
}: RequestRecord): Draft => ({
  templateId,
  entity,
  values,
  friendlyName,
  contactEmail,
  comment,
  ...(userId === null ? {} : { userId }),
  ...(key === null ? {} : { key }),
})
