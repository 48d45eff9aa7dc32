// Takes requests of people without an account. They take the same path as a user's own, with stricter conditions: templates that are open to anonymous
// requests, devices only, a key of the requester's own, and always an approval before anything is issued.

import { randomUUID } from 'node:crypto'
import { findUsableIssuer } from '#areas/authorities/licensing.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { noPermission } from '#core/contract/permissions.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { Viewer } from '#core/server/serve.ts'
import { parseShape } from '#core/server/steps/input.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { isHold } from '#standards/crl/reasons.ts'
import { encodePem } from '#standards/pem/pem.ts'
import { certificates } from '../../contract.ts'
import type { RequestStatus } from '../../request-status.ts'
import { requestStatus, anonymous } from '../../rules.ts'
import { certificateById } from '../inventory/certificate-store.ts'
import { internalContext } from './internal-request.ts'
import { finderIn, prepare, readCsr, type Draft } from './prepare.ts'
import { countWaitingOf, findRequest } from './request-store.ts'
import { sampleOf, submit } from './submit.ts'

export type AnonymousRequest = {
  tenantId: string
  address: string
  templateId: string
  csr: string
  values: Record<string, string[]>
  contactEmail: string
  comment: string
}

/** Places the request, which then waits. Throws the faults of a request that cannot be placed. */
export async function askAnonymously(
  house: House,
  { tenantId, address, ...asked }: AnonymousRequest,
): Promise<{ requestId: string; status: RequestStatus }> {
  const viewer = viewerOf(tenantId)
  // A key that the asker chooses would find what another anonymous person asked for.
  const context = internalContext(house, viewer, { key: randomUUID(), actor: { name: anonymous.name, address } })
  const { requestId, status } = await submit(context, 'anonymous', draftOf(asked))
  return { requestId, status }
}

/** What is wrong with a request, all of it, as far as it can be told; nothing is placed. */
export async function faultsOfAnonymous(
  house: House,
  { tenantId, ...asked }: Omit<AnonymousRequest, 'address'>,
): Promise<{ field: string; says: string }[]> {
  const [viewer, draft] = [viewerOf(tenantId), draftOf(asked)]
  const read = await readCsr(house, viewer, draft)
  if (read !== undefined && 'faults' in read) return read.faults
  const sample = await sampleOf(draft, read, (id) => withTenancy(house, tenantId, ({ db, now }) => findTemplate(db, tenantId, id, now)))
  const prepared = await withTenancy(house, tenantId, ({ db, now }) =>
    prepare(finderIn(db, tenantId, now), { viewer, door: 'anonymous', draft, supplied: read, sample, now }),
  )
  return 'faults' in prepared ? prepared.faults.map(({ field, says }) => ({ field, says })) : []
}

const viewerOf = (tenantId: string): Viewer => ({
  userId: anonymous.id,
  username: anonymous.name,
  tenantId,
  homeTenantId: tenantId,
  permission: noPermission,
  via: 'session',
  narrowed: true,
  credentialId: anonymous.id,
})

function draftOf(asked: Omit<AnonymousRequest, 'tenantId' | 'address'>): Draft {
  const { templateId, csr, values, contactEmail, comment } = parseShape(certificates.calls.requestForDevice.input, asked)
  return { templateId, csr, values, contactEmail, comment, friendlyName: '', entity: 'device' }
}

/** Counts the anonymous requests that wait for a decision. */
export const waitingAnonymous = (db: Database, tenantId: string): Promise<number> => countWaitingOf(db, tenantId, anonymous.id)

export type AnonymousView = {
  status: RequestStatus
  onHold: boolean
  reason: string
  templateName: string
  subject: string
  requestedAt: Date
  certificate: string
  chain: string
}

/** Answers the state of an anonymous request, with its certificate once there is one; undefined for any other request. */
export async function anonymousViewOf(db: Database, tenantId: string, requestId: string, now: Date): Promise<AnonymousView | undefined> {
  const request = await findRequest(db, tenantId, requestId)
  if (request?.requester_id !== anonymous.id) return undefined
  const made = request.certificate_id === null ? undefined : await certificateById(db, tenantId, request.certificate_id)
  const issuer = made === undefined || made.ca_id === null ? undefined : await findUsableIssuer(db, tenantId, request.ca_id, now)
  return {
    status: requestStatus(request.stage, made?.revoked_at !== undefined && made.revoked_at !== null, made?.ca_id === null),
    onHold: isHold(made?.revocation_reason),
    reason: request.error,
    templateName: request.template_name,
    subject: request.subject,
    requestedAt: request.created_at,
    certificate: made === undefined ? '' : encodePem('CERTIFICATE', made.certificate),
    chain: (issuer?.chain ?? []).map((der) => encodePem('CERTIFICATE', der)).join(''),
  }
}
