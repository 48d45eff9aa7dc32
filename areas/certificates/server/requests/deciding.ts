// The calls about other people's requests: the list of them, one of them, a vote, and where a request stands.

import type { VoteRefusal } from '#areas/approvals/rules.ts'
import {
  approvalsOf,
  findApprovalOf,
  type Completion,
  subjectsWaitingFor,
  waitingFor,
  type ApprovalView,
  type Outcome,
} from '#areas/approvals/service.ts'
import { findUsableIssuer } from '#areas/authorities/licensing.ts'
import { previewCertificate, samplePublicKey } from '#areas/templates/preview.ts'
import { keyKinds } from '#areas/templates/rules.ts'
import { findPerson, fullName } from '#areas/users/service.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import type { Database } from '#core/server/database.ts'
import type { House } from '#core/server/house.ts'
import type { Handlers, Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { certificates } from '../../contract.ts'
import { approvalKind, requestStatus } from '../../rules.ts'
import { serialsOfCards } from '../inventory/cards.ts'
import { certificateById } from '../inventory/certificate-store.ts'
import { detailsOf, presentPlan, presentRequests, shownCsr } from '../inventory/presenter.ts'
import { mayKnowRequest, mayWithdraw } from '../policy.ts'
import { bringsKey, type RequestRecord } from '../store.ts'
import { recordElsewhere } from './elsewhere.ts'
import { tellDecision } from './notices.ts'
import { changeRequest, countRequests, findRequest, lockRequest, requestIds, requestsOf } from './request-store.ts'
import { stepsOf } from './steps.ts'
import { issueOrLeave } from './submit.ts'
import { subjectOf, voteOn, voterOf } from './voting.ts'

type Contract = typeof certificates
type DecidingHandlers = Pick<
  Handlers<Contract>,
  'searchApprovals' | 'approval' | 'decide' | 'recordElsewhere' | 'statusByRequest' | 'status'
>

/** What becomes of a request when its approval is decided. Runs in the last vote's transaction; issuing comes after its commit. */
export const requestDecided: Completion = {
  kind: approvalKind,
  async approved(db, outcome, house) {
    const request = await waitingRequest(db, outcome)
    const stage = bringsKey(request) ? 'approved' : 'awaitingKey'
    await changeRequest(db, outcome.tenantId, request.id, { stage, updated_at: outcome.now })
    if (stage === 'awaitingKey') await tellDecision(db, house, request, 'ready', outcome.now)
  },
  async denied(db, outcome, house) {
    const request = await waitingRequest(db, outcome)
    await changeRequest(db, outcome.tenantId, request.id, { stage: 'denied', error: outcome.comment, updated_at: outcome.now })
    await tellDecision(db, house, request, 'denied', outcome.now)
  },
}

async function waitingRequest(db: Database, { tenantId, subjectId }: Outcome): Promise<RequestRecord> {
  const request = await lockRequest(db, tenantId, subjectId)
  if (request?.stage !== 'waiting') throw new Error(`The request ${subjectId} does not wait for a decision`)
  return request
}

const presentVotes = (votes: readonly Omit<ApprovalView['votes'][number], 'voterId'>[]) =>
  votes.map(({ voter, verdict, comment, at, void: isVoid }) => ({ voter, verdict, comment, at: at.toISOString(), void: isVoid }))

/** Approvals that were opened before holders were excluded do not know it themselves. */
const refusalView = (
  request: RequestRecord,
  viewer: Viewer,
  refusal: VoteRefusal | undefined,
  none: boolean,
): { refusal?: VoteRefusal } => {
  if (none) return { refusal: 'closed' }
  if (refusal === undefined && request.holder_user_id === viewer.userId) return { refusal: 'own' }
  return refusal === undefined ? {} : { refusal }
}

export const decidingHandlers: DecidingHandlers = {
  async searchApprovals({ page, size, text, status, waitingForMe }, { db, viewer }) {
    const { tenantId } = viewer
    const voter = voterOf(viewer)
    const filter = { text, status, ownerId: undefined, needsApproval: true, ids: undefined }
    const ids = waitingForMe
      ? await subjectsWaitingFor(db, tenantId, voter, approvalKind, { page, size })
      : await requestIds(db, tenantId, filter, { page, size })
    // The round before what it is about: an edit at this moment leaves an old round to new words, which no vote counts for, and never the reverse.
    const approvals = await approvalsOf(db, tenantId, approvalKind, ids, voter)
    const counted = waitingForMe
      ? cappedCount(await waitingFor(db, tenantId, voter, approvalKind))
      : await countRequests(db, tenantId, filter)
    const rows = await presentRequests(db, tenantId, await requestsOf(db, tenantId, ids), approvals)
    return {
      rows: rows.map((row) => ({
        ...row,
        mayVote: approvals.get(row.requestId)?.mayVote ?? false,
        round: approvals.get(row.requestId)?.round ?? 0,
      })),
      ...counted,
    }
  },

  async approval({ requestId }, { db, viewer, now, fault }) {
    const { tenantId } = viewer
    // First, as in the list.
    const opened = await findApprovalOf(db, subjectOf(tenantId, requestId), voterOf(viewer))
    const request = (await findRequest(db, tenantId, requestId)) ?? fault('noSuchRequest')
    const [row] = await presentRequests(
      db,
      tenantId,
      [request],
      new Map(
        opened === undefined
          ? []
          : [[requestId, { approvals: opened.approvals, needed: opened.needed, mayVote: opened.refusal === undefined }]],
      ),
    )
    const issuer = await findUsableIssuer(db, tenantId, request.ca_id, now)
    if (issuer === undefined || row === undefined) return fault('noSuchRequest')
    const holder = request.holder_user_id === null ? undefined : await findPerson(db, tenantId, request.holder_user_id)
    const requester = await findPerson(db, tenantId, request.requester_id)
    // Without a CSR the key is made when it is collected; until then only its kind is known.
    const { planned } = previewCertificate(
      issuer,
      request.plan.extensions,
      request.plan.draft,
      request.public_key ?? (await samplePublicKey('P-256')),
      now,
      'csr',
    )
    const key = request.public_key === null && request.key_kind !== null ? keyKinds[request.key_kind].label : planned.key
    return {
      request: {
        ...row,
        comment: request.comment,
        contactEmail: request.contact_email,
        requesterName: requester === undefined ? '' : fullName(requester),
        requesterEmail: requester?.emailAddress ?? '',
        holder: holder === undefined ? '' : fullName(holder),
        error: request.error,
      },
      planned: presentPlan({ ...planned, key }),
      findings: request.findings,
      csr: shownCsr(request.csr),
      collected: !bringsKey(request),
      votes: presentVotes(opened?.votes ?? []),
      steps: await stepsOf(
        db,
        request,
        opened,
        request.certificate_id === null ? undefined : await certificateById(db, tenantId, request.certificate_id),
      ),
      round: opened?.round ?? 0,
      ...refusalView(request, viewer, opened?.refusal, opened === undefined),
    }
  },

  async decide({ requestId, round, verdict, comment }, { viewer, now, house, transact, fault }) {
    const { tenantId } = viewer
    const cast = await transact(async ({ db, emit }) => {
      return voteOn({ house, db, viewer, now, emit, fault }, { requestId, round, verdict, comment })
    })
    const request = (await transact(({ db }) => findRequest(db, tenantId, requestId))) ?? fault('noSuchRequest')
    const stands =
      cast.state === 'approved'
        ? await issueOrLeave(house, tenantId, request, viewer)
        : { stage: request.stage, certificateId: undefined, error: '' }
    return {
      requestId,
      status: requestStatus(stands.stage, false),
      approvals: cast.approvals,
      needed: cast.needed,
      ...(stands.certificateId === undefined ? {} : { certificateId: stands.certificateId }),
      error: stands.error,
    }
  },

  recordElsewhere,

  statusByRequest: async ({ rid }, { tenancy, house, viewer, fault }) =>
    (await statusFor(house, tenancy, viewer, { requestId: rid })) ?? fault('noSuchRequest'),
  status: async ({ tid, ca }, { tenancy, house, viewer, fault }) =>
    (await statusFor(house, tenancy, viewer, { requestId: tid, caId: ca })) ?? fault('noSuchRequest'),
}

const cappedCount = (count: number) => ({ total: Math.min(count, countedUpTo), more: count > countedUpTo })

async function statusFor(
  house: House,
  tenancy: Tenancy,
  viewer: Viewer,
  { requestId, caId }: { requestId: string; caId?: string | undefined },
) {
  const { db, now } = tenancy
  const request = await findRequest(db, viewer.tenantId, requestId)
  if (request === undefined || (caId !== undefined && request.ca_id !== caId)) return undefined
  const certificate = request.certificate_id === null ? undefined : await certificateById(db, viewer.tenantId, request.certificate_id)
  if (!mayKnowRequest(viewer, request, certificate)) return undefined
  const opened = await findApprovalOf(db, subjectOf(viewer.tenantId, requestId), voterOf(viewer))
  return {
    ...detailsOf(request, certificate, await findUsableIssuer(db, viewer.tenantId, request.ca_id, now)),
    ...(certificate === undefined ? {} : { card_serial: (await serialsOfCards(house, tenancy, certificate.id)).join(', ') }),
    votes: presentVotes(opened?.votes ?? []),
    withdrawable: mayWithdraw(viewer, request),
    steps: await stepsOf(db, request, opened, certificate),
  }
}
