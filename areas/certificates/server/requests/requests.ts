// The calls about requests: check, ask, edit, withdraw, list one's own.

import { approvalsOf, reopenApproval } from '#areas/approvals/service.ts'
import { refusal } from '#areas/authorities/refusals.ts'
import { findTemplate } from '#areas/templates/service.ts'
import { fullName, peopleWhoMay } from '#areas/users/service.ts'
import type { Handlers } from '#core/server/serve.ts'
import { say } from '#standards/say/say.ts'
import type { certificates } from '../../contract.ts'
import { namesChanged, wantsNewKey } from '../../renewal-rules.ts'
import { approvalKind, requestStatus, howDecided } from '../../rules.ts'
import { presentRequests } from '../inventory/presenter.ts'
import { oldKeyRefusal } from '../inventory/siblings.ts'
import { collectKey } from '../issuing/collect.ts'
import { madeByProtocol } from '../store.ts'
import { tellApprovers } from './notices.ts'
import { decodedRequest, finderIn, prepare, readCsr, type Draft } from './prepare.ts'
import { changeRequest, countRequests, findRequest, lockRequest, requestPage } from './request-store.ts'
import { findingsOf } from './severity.ts'
import { mostNamed } from './steps.ts'
import { beginningOfHour, recordOf, refuse, sampleOf, submit } from './submit.ts'
import { howRequestDecided, subjectOf, withdrawRequest } from './voting.ts'

type RequestHandlers = Pick<
  Handlers<typeof certificates>,
  'check' | 'request' | 'requestForUser' | 'requestForDevice' | 'edit' | 'withdraw' | 'collectKey' | 'requests'
>

export const requestHandlers: RequestHandlers = {
  async check({ templateId, ...rest }, { viewer, now, house, transact }) {
    const read = await readCsr(house, viewer, rest)
    if (read !== undefined && 'faults' in read) return { findings: findingsOf(read.faults, []), faults: read.faults, issueApprovers: 0 }
    const decoded = read === undefined ? {} : { decoded: decodedRequest(read) }
    if (templateId === undefined) return { ...decoded, findings: read?.findings ?? [], faults: [], issueApprovers: 0 }
    const draft = { ...rest, templateId }
    const sample = await sampleOf(draft, read, (id) => transact(({ db }) => findTemplate(db, viewer.tenantId, id, now)))
    const prepared = await transact(({ db }) =>
      prepare(finderIn(db, viewer.tenantId, now), { viewer, door: 'anybody', draft, supplied: read, sample, now }),
    )
    if ('faults' in prepared)
      return {
        ...decoded,
        findings: findingsOf(prepared.faults, prepared.findings),
        faults: prepared.faults,
        issueApprovers: prepared.issueApprovers,
      }
    const { notBefore, notAfter, ...planned } = prepared.planned
    const able =
      prepared.needed === 0
        ? []
        : await transact(({ db }) => peopleWhoMay(db, viewer.tenantId, 'certApprovals', [viewer.userId, prepared.holder?.id]))
    return {
      ...decoded,
      planned: { ...planned, notBefore: notBefore.toISOString(), notAfter: notAfter.toISOString() },
      findings: prepared.findings,
      faults: [],
      issueApprovers: prepared.needed,
      tooFewApprovers: able.length < prepared.needed,
      approvers: able.slice(0, mostNamed).map(fullName),
      otherApprovers: Math.max(0, able.length - mostNamed),
    }
  },

  request: (draft, context) => submit(context, 'anybody', draft),
  requestForUser: (draft, context) => submit(context, 'upload', { ...draft, entity: 'user' }),
  requestForDevice: (draft, context) => submit(context, 'upload', { ...draft, entity: 'device' }),

  async edit({ requestId, ...changes }, context) {
    const { viewer, now, house, transact, fault } = context
    const before = (await transact(({ db }) => findRequest(db, viewer.tenantId, requestId))) ?? fault('noSuchRequest')
    if (before.requester_id !== viewer.userId) return fault('noSuchRequest')
    // A client of a protocol proved these names, and gets what comes of the request.
    if (madeByProtocol(before))
      return fault('invalid', {
        fields: [{ field: 'requestId', says: say`A protocol made this request, so nobody edits it. Withdraw it instead` }],
      })
    const draft: Draft = {
      ...changes,
      templateId: before.template_id,
      entity: before.entity,
      ...(before.holder_user_id === null ? {} : { userId: before.holder_user_id }),
      ...(before.renews === null ? {} : { renews: before.renews }),
    }
    const read = await readCsr(house, viewer, draft)
    if (read !== undefined && 'faults' in read) return fault('invalid', { fields: read.faults })
    const sample = await sampleOf(draft, read, (id) => transact(({ db }) => findTemplate(db, viewer.tenantId, id, now)))
    const outcome = await transact(async ({ db, emit }) => {
      const request = await lockRequest(db, viewer.tenantId, requestId)
      if (request?.stage !== 'waiting')
        return fault('closed', { params: { how: request === undefined ? howDecided.withdrawn : await howRequestDecided(db, request) } })
      const prepared = await prepare(finderIn(db, viewer.tenantId, now), { viewer, door: 'anybody', draft, supplied: read, sample, now })
      if ('faults' in prepared) return prepared
      const old =
        request.renews === null || read === undefined || !wantsNewKey(prepared.template)
          ? undefined
          : await oldKeyRefusal(db, viewer.tenantId, read.csr.publicKey.spki, { renews: request.renews, wantsNew: true, requestId })
      if (old !== undefined) return { faults: [old], findings: [], request: read, issueApprovers: prepared.needed }
      const changed =
        request.renews === null
          ? undefined
          : namesChanged(request.plan, { draft: prepared.draft, extensions: prepared.template.extensions })
      if (changed !== undefined)
        return {
          faults: [refusal('renewalChangesNames', changed)],
          findings: [],
          request: read,
          issueApprovers: prepared.needed,
        }
      // What the template demanded then or demands now, whichever is more.
      const approversNeeded = Math.max(request.approvers_needed, prepared.needed)
      const record = {
        ...recordOf(viewer, draft, prepared, { id: requestId, idempotencyKey: request.idempotency_key, now }),
        approvers_needed: approversNeeded,
      }
      const {
        tenant_id: _tenant,
        id: _id,
        plan,
        findings,
        typed,
        created_at: _created,
        stage: _stage,
        input_hash: _hash,
        ...columns
      } = record
      await changeRequest(db, viewer.tenantId, requestId, columns, { plan, findings, typed })
      await reopenApproval(db, subjectOf(viewer.tenantId, requestId), viewer.userId, approversNeeded)
      // The first change of an hour is told by mail, however many follow.
      if (request.updated_at < beginningOfHour(now)) await tellApprovers(db, context.house, record, now)
      emit('edited', { requestId }, requestId)
      return prepared
    })
    if ('faults' in outcome) return refuse(context, outcome)
    return { requestId, status: requestStatus('waiting', false), caId: outcome.issuer.caId, findings: outcome.findings, error: '' }
  },

  async withdraw({ requestId }, { db, viewer, now, emit, fault }) {
    await withdrawRequest({ db, viewer, now, emit, fault }, requestId)
    return { status: requestStatus('withdrawn', false) }
  },

  collectKey,

  async requests({ page, size, status, text }, { db, viewer }) {
    const filter = { text, status, ownerId: viewer.userId, needsApproval: false, ids: undefined }
    const rows = await requestPage(db, viewer.tenantId, filter, { page, size })
    const counted = await countRequests(db, viewer.tenantId, filter)
    const approvals = await approvalsOf(
      db,
      viewer.tenantId,
      approvalKind,
      rows.map(({ id }) => id),
      { userId: viewer.userId, permissions: viewer.permission.api },
    )
    return { rows: await presentRequests(db, viewer.tenantId, rows, approvals), ...counted }
  },
}
