// The way of a request, whoever asks and by whichever door: it is prepared, placed with its approval, and issued at once where nobody must agree. A request
// that brings its own key and waits for nobody is issued at once.

import { openApproval } from '#areas/approvals/service.ts'
import { refusalToIssue } from '#areas/authorities/service.ts'
import type { ReadRequest } from '#areas/templates/requests.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { fullName } from '#areas/users/service.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { AuditFailure, Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { CallContext, Viewer, Work } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import type { certificates } from '../../contract.ts'
import { plainSubject } from '../../plain-subject.ts'
import { requestStatus } from '../../rules.ts'
import { issueInBatch } from '../issuing/immediate.ts'
import { issueRequest, standOf, type Issued } from '../issuing/issue.ts'
import { finishSoon, reasonToWait } from '../issuing/recovery.ts'
import type { RequestDoor } from '../policy.ts'
import { bringsKey, type RequestRecord } from '../store.ts'
import { tellApprovers } from './notices.ts'
import {
  finderIn,
  finderOf,
  inputHash,
  prepare,
  readCsr,
  readProvenKey,
  sampleFor,
  type SuppliedKey,
  type Draft,
  type Prepared,
  type Refused,
  type ToPrepare,
} from './prepare.ts'
import { askedSince, findRequest, insertRequest, renewalOf, requestOfKey } from './request-store.ts'
import { isAmong } from './severity.ts'
import { subjectOf } from './voting.ts'

/** What a request needs to know of whoever asks; internal-request.ts makes it up where no call does. */
export type Asking = Pick<
  CallContext<typeof certificates, 'request'>,
  'viewer' | 'now' | 'house' | 'request' | 'transact' | 'recordedByRoom' | 'fault'
> & {
  /** Who brings the key, where that is somebody else than `viewer`. */
  actorId?: string | undefined
  /** A TPM has attested the key. */
  attested?: boolean | undefined
}

const issuePermission = 'certApprovals'

export async function sampleOf(
  draft: Draft,
  read: SuppliedKey | undefined,
  templateOf: (id: string) => ReturnType<typeof findTemplate>,
): Promise<Uint8Array> {
  if (read !== undefined) return read.csr.publicKey.spki
  const template = await templateOf(draft.templateId)
  return template === undefined ? new Uint8Array() : sampleFor(draft, template)
}

/** Places the request and issues what may be issued at once; one of a key that was used before answers again as it stands now. `proven`: a key that comes without a CSR. */
export async function submit(context: Asking, door: RequestDoor, draft: Draft, proven?: Uint8Array) {
  const { viewer, now, house, transact, fault, request } = context
  const hash = inputHash(draft)
  const read = proven === undefined ? await readCsr(house, viewer, draft) : await readProvenKey(house, viewer, proven)
  if (read !== undefined && 'faults' in read) return fault('invalid', { fields: read.faults })
  const issued = read?.details && (await tryImmediate(context, { door, draft, read, hash }))
  if (issued !== undefined) return issued
  const known = await transact(({ db }) => requestOfKey(db, viewer.tenantId, viewer.userId, request.idempotencyKey))
  if (known !== undefined) return known.input_hash === hash ? finish(house, viewer, known) : fault('conflict')
  const sample = await sampleOf(draft, read, (id) => transact(({ db }) => findTemplate(db, viewer.tenantId, id, now)))
  const outcome = await transact((work) => place(work, context, { door, draft, supplied: read, sample, hash }))
  if ('faults' in outcome) return refuse(context, outcome)
  const placed = await transact(({ db }) => findRequest(db, viewer.tenantId, outcome.requestId))
  if (placed === undefined) throw new Error(`The request ${outcome.requestId} is gone`)
  if (placed.input_hash !== hash) return fault('conflict')
  return finish(house, viewer, placed)
}

/** So often it is looked again whether something may be issued at once, when things change faster than its turn comes. */
const mostChecks = 5

/** Issues at once what nobody must agree to. Undefined for all else: what others decide, what is refused, a key that was used before, and what could not be issued now. */
async function tryImmediate(
  context: Asking,
  { door, draft, read, hash }: { door: RequestDoor; draft: Draft; read: ReadRequest; hash: string },
) {
  const { viewer, house, now, request: facts } = context
  const id = timeOrderedId(now)
  try {
    // While no change can be heard it cannot be known whether what was seen still holds.
    for (let checks = 0; checks < mostChecks && house.cache.isListening(); checks += 1) {
      const version = house.cache.version()
      const prepared = await prepare(finderOf(house, viewer.tenantId, now), {
        viewer,
        actorId: context.actorId,
        attested: context.attested,
        door,
        draft,
        supplied: read,
        sample: read.csr.publicKey.spki,
        now,
      })
      if ('faults' in prepared || prepared.needed > 0 || prepared.issuer.tenantId !== viewer.tenantId) return undefined
      const { issuer, holder, certificate } = prepared
      if (refusalToIssue(issuer, certificate, now) !== undefined) return undefined
      const request: RequestRecord = {
        ...recordOf(viewer, draft, prepared, { id, idempotencyKey: facts.idempotencyKey, now, door }),
        input_hash: hash,
      }
      const record = await issueInBatch(house, {
        version,
        request,
        issuer,
        certificate,
        holder: holder === undefined ? '' : fullName(holder),
        viewer,
        facts,
      })
      if (record === 'changed') continue
      if (record !== undefined) context.recordedByRoom()
      return record && answerOf(request, { stage: 'issued', certificateId: record.id, serialHex: record.serial_hex, error: '' })
    }
  } catch (error) {
    if (error instanceof AuditFailure || error instanceof Fault) throw error
    house.log.warn({ error, request: facts.id }, 'a certificate could not be issued at once')
  }
  return undefined
}

/** Lint's refusals have a fault of their own, so that a screen can show them as findings; the rest are wrong fields. */
export function refuse(context: { fault: Asking['fault'] }, refused: Refused): never {
  const { faults, findings } = refused
  if (faults.some(({ code }) => code === 'templateNotOffered')) context.fault('notOffered', { fields: faults })
  return context.fault(faults.some((fault) => isAmong(fault, findings)) ? 'lint' : 'invalid', { fields: faults })
}

type ToPlace = Pick<ToPrepare, 'door' | 'draft' | 'supplied' | 'sample'> & { /** Of the draft: one key, one request. */ hash: string }

/** Writes the request and opens its approval. A request that came at the same moment with the same key answers with its own. */
export async function place(
  { db, emit }: Work<typeof certificates>,
  context: Asking,
  { door, draft, supplied, sample, hash }: ToPlace,
): Promise<{ requestId: string } | Refused> {
  const { viewer, actorId, attested, now, house } = context
  const prepared = await prepare(finderIn(db, viewer.tenantId, now), { viewer, actorId, door, draft, supplied, sample, attested, now })
  if ('faults' in prepared) return prepared
  const requestId = timeOrderedId(now)
  const record = {
    ...recordOf(viewer, draft, prepared, { id: requestId, idempotencyKey: context.request.idempotencyKey, now, door }),
    input_hash: hash,
  }
  for (let tries = 1; !(await insertRequest(db, record)); tries += 1) {
    const first =
      draft.renews === undefined
        ? await requestOfKey(db, viewer.tenantId, viewer.userId, context.request.idempotencyKey)
        : await renewalOf(db, viewer.tenantId, draft.renews)
    if (first !== undefined) return { requestId: first.id }
    // Between the two the first renewal was withdrawn, or denied: then this one has its place.
    if (tries === mostTries) throw new Error('A request of this key is there and is not')
  }
  const opened = await openApproval(db, {
    ...subjectOf(viewer.tenantId, requestId),
    title: `${prepared.template.displayName || prepared.template.templateName}: ${plainSubject(record.subject)}`,
    rule: { needed: prepared.needed, permission: issuePermission },
    excluded: [record.holder_user_id, actorId].flatMap((id) => id ?? []),
    requester: { userId: viewer.userId, name: actorOf(viewer) },
    now,
  })
  if (opened !== undefined) {
    // The list of approvals has them all; mail would bury the approvers.
    const before = await askedSince(db, viewer.tenantId, {
      requesterId: viewer.userId,
      since: beginningOfHour(now),
      but: requestId,
      most: mostNotified,
    })
    if (before < (door === 'anonymous' ? 1 : mostNotified)) await tellApprovers(db, house, record, now)
  }
  emit('requested', { requestId, templateName: record.template_name, caId: record.ca_id, class: record.class }, requestId)
  return { requestId }
}

const mostTries = 5

/** So many requests of one person are told by mail in an hour. Anybody can ask anonymously, as often as they like: of all who do together it is one. */
const mostNotified = 20
const hour = 3_600_000
export const beginningOfHour = (now: Date): Date => new Date(Math.floor(now.getTime() / hour) * hour)

/** A card is on record as a rule, too: its requests are made for their holder. */
const plansOfDoor: Readonly<Record<RequestDoor, Pick<RequestRecord['plan'], 'byRule' | 'byCard'>>> = {
  upload: {},
  anybody: {},
  anonymous: {},
  rule: { byRule: true },
  card: { byRule: true, byCard: true },
}

export function recordOf(
  viewer: Viewer,
  draft: Draft,
  prepared: Prepared,
  { id, idempotencyKey, now, door }: { id: string; idempotencyKey: string; now: Date; door?: RequestDoor },
): RequestRecord {
  const { template, issuer, holder, request } = prepared
  return {
    tenant_id: viewer.tenantId,
    id,
    stage: prepared.needed > 0 ? 'waiting' : request === undefined ? 'awaitingKey' : 'approved',
    entity: draft.entity,
    class: template.class,
    template_id: template.id,
    template_name: template.displayName || template.templateName,
    template_version: template.version,
    ca_id: issuer.caId,
    ca_name: issuer.friendlyName,
    requester_id: viewer.userId,
    requester: actorOf(viewer),
    holder_user_id: holder?.id ?? null,
    csr: request?.csr.encoded === undefined ? null : Buffer.from(request.csr.encoded),
    renews: draft.renews ?? null,
    same_key: request !== undefined && request.csr.encoded === undefined,
    key_kind: prepared.keyKind ?? null,
    public_key: request === undefined ? null : Buffer.from(request.csr.publicKey.spki),
    plan: { draft: prepared.draft, extensions: template.extensions, ...plansOfDoor[door ?? 'anybody'] },
    findings: prepared.findings,
    subject: prepared.planned.subject === '' ? prepared.draft.sans.map(({ value }) => value).join(', ') : prepared.planned.subject,
    typed: draft.values,
    friendly_name: draft.friendlyName,
    contact_email: draft.contactEmail,
    comment: draft.comment,
    approvers_needed: prepared.needed,
    revocation_approvers: template.revocationApprovers,
    serial_hex: null,
    certificate_id: null,
    error: '',
    idempotency_key: idempotencyKey,
    input_hash: '',
    created_at: now,
    updated_at: now,
  }
}

/** Issues what may be issued at once, and answers where the request stands. */
async function finish(house: House, viewer: Viewer, request: RequestRecord) {
  return answerOf(request, await issueOrLeave(house, viewer.tenantId, request, viewer))
}

const answerOf = (request: RequestRecord, stands: Issued) => ({
  requestId: request.id,
  status: requestStatus(stands.stage, false),
  caId: request.ca_id,
  ...(stands.certificateId === undefined ? {} : { certificateId: stands.certificateId }),
  ...(stands.serialHex === undefined ? {} : { serialNumber: stands.serialHex }),
  findings: request.findings,
  error: stands.error,
})

/**
 * An approved request is saved: if signing fails now, recovery finishes it, and the answer says that it is on its way. One whose key is made
 * here is left to the call that made it. `acting`: whose call it is, who asks or has agreed.
 */
export async function issueOrLeave(
  house: House,
  tenantId: string,
  request: Pick<RequestRecord, 'id' | 'csr' | 'same_key' | 'stage' | 'certificate_id' | 'serial_hex' | 'error'>,
  acting?: Viewer,
): Promise<Issued> {
  const stands = standOf(request)
  if (!bringsKey(request) || (request.stage !== 'approved' && request.stage !== 'reserved')) return stands
  try {
    return await issueRequest(house, tenantId, request.id, acting)
  } catch (error) {
    if (error instanceof Fault || error instanceof AuditFailure) throw error
    house.log.error({ error, request: request.id }, 'an approved request could not be issued yet')
    finishSoon(house)
    const found = await inTenant(house.database, tenantId, (db: Database) => findRequest(db, tenantId, request.id))
    return { ...stands, ...(found === undefined ? {} : { stage: found.stage }), error: reasonToWait(error) }
  }
}
