import { howAndByWhom, voteRefusals } from '#areas/approvals/rules.ts'
import { completions, decidersOf, findApprovalOf, vote, type Outcome } from '#areas/approvals/service.ts'
import { authorities } from '#areas/authorities/contract.ts'
import { findUsableIssuer, listUsableIssuers } from '#areas/authorities/licensing.ts'
import { findIssuer, setCrlShards, tellStatusChange } from '#areas/authorities/service.ts'
import { bulkAction, bulkActions } from '#areas/bulk/service.ts'
import { certificateStatus, type CertificateReference } from '#areas/certificates/rules.ts'
import { findCertificate, revocationRuleOf, siblingsElsewhere, siblingsOf, type Certificate } from '#areas/certificates/service.ts'
import { keys } from '#areas/keys/contract.ts'
import { KeyUnavailable } from '#areas/keys/service.ts'
import { offer } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { invalidField } from '#core/server/fault.ts'
import { on, serve, type CallContext, type Viewer } from '#core/server/serve.ts'
import { transactionSources, workSources, workWaiting } from '#core/server/slots.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import { revocation } from '../contract.ts'
import { isRelease, reasonsLeft, howDecided, howItStands } from '../rules.ts'
import { listFreshness, openRevocations } from '../service.ts'
import { authorityHandlers } from './authority.ts'
import { closeLeases, leasesOf } from './cache-lease.ts'
import { finishPublishing, makeCrl, makeDueCrls, publishSoon } from './crl.ts'
import { findDrill, insertDrill, searchDrills } from './drill-store.ts'
import { holdDrill } from './drill.ts'
import { publicEndpoints } from './endpoints.ts'
import { tellHolders } from './mail.ts'
import { mayCancel, mayKnow, mayRelease, mayRevoke } from './policy.ts'
import { resultOf, presentDrill, presentRevocation } from './presenter.ts'
import { publicationOf } from './publication.ts'
import { release, holdStateOf } from './release.ts'
import { holdMany, publishOfStopped, releaseMany, revokeMany } from './revoke-many.ts'
import { revokeAll, subjectKind, subjectOf, untilAnswersAreNew, withdraw, withOutcome } from './revoke.ts'
import { emitSettled, settle } from './settle.ts'
import { endAllSigners, endExposed, keepSigner, keepSigners, tokenOf } from './signers.ts'
import {
  changeRevocation,
  findRevocation,
  latestRevocationOf,
  lockRevocation,
  searchRevocations,
  setStatusSettings,
  statusSettingsOf,
  type RevocationRecord,
} from './store.ts'
import { uploadHandlers } from './uploaded.ts'
import { revocationsWaiting, revocationTransactions } from './work.ts'

const mostSiblings = 100

const voterOf = (viewer: Viewer) => ({ userId: viewer.userId, name: actorOf(viewer), permissions: viewer.permission.api })

export default serve(
  revocation,
  {
    ...authorityHandlers,
    ...uploadHandlers,

    async options(reference, { db, viewer, now, fault }) {
      const certificate = (await findFor(db, viewer, reference, now)) ?? fault('notFound')
      const latest = await latestRevocationOf(db, viewer.tenantId, certificate.id)
      const issuer = certificate.caId === undefined ? undefined : await findUsableIssuer(db, viewer.tenantId, certificate.caId, now)
      return {
        certificateId: certificate.id,
        caId: certificate.caId,
        caName: issuer?.friendlyName ?? certificate.caName,
        serialNumber: certificate.serialHex,
        subject: certificate.subject,
        validFrom: certificate.validFrom.toISOString(),
        validTo: certificate.validTo.toISOString(),
        status: certificate.status,
        reasons: reasonsLeft(certificate.revoked),
        approvals: certificate.caId === undefined ? 0 : revocationRuleOf(certificate).needed,
        pending: latest?.state === 'pending' ? latest.id : undefined,
        pendingReason: latest?.state === 'pending' ? latest.reason : undefined,
        mayCancel: latest?.state === 'pending' && mayCancel(viewer, latest, certificate),
        revoked: certificate.revoked && { reason: certificate.revoked.reason, at: certificate.revoked.at.toISOString() },
        mayRevoke: mayRevoke(viewer, certificate),
        mayRelease: mayRelease(viewer, certificate, await holdStateOf(db, viewer, certificate)),
      }
    },

    async revoke({ reason, invalidityDate, note, seen, ...reference }, context) {
      const { db, viewer, now, emit, fault } = context
      const certificate = (await findFor(db, viewer, reference, now)) ?? fault('notFound')
      // A second tab, or somebody else meanwhile: what is on record is not made another in silence.
      if (seen !== undefined && seen !== (certificate.revoked?.reason ?? 'none'))
        return fault('revokedMeanwhile', { params: { how: howItStands(certificate.revoked) } })
      const revoked =
        (await revokeAll({ db, viewer, now, emit }, [certificate], { reason, invalidityDate, note })).get(certificate.id) ??
        fault('notFound')
      if ('refused' in revoked) return fault(revoked.refused)
      const { row } = revoked
      const siblings = row.reason === 'keyCompromise' ? (await siblingsOf(db, viewer.tenantId, certificate.id, 1))?.total : undefined
      return { ...(await answerFor(row, context)), siblings }
    },

    async release({ note, ...reference }, context) {
      const { db, viewer, now, emit, fault } = context
      const certificate = (await findCertificate(db, viewer.tenantId, reference, now)) ?? fault('notFound')
      const outcome = await release({ db, viewer, now, emit }, certificate, note)
      return 'refused' in outcome ? fault(outcome.refused) : answerFor(outcome.row, context)
    },

    async siblings(reference, { db, viewer, now, fault }) {
      const certificate = (await findCertificate(db, viewer.tenantId, reference, now)) ?? fault('notFound')
      const { siblings, total } = (await siblingsOf(db, viewer.tenantId, certificate.id, mostSiblings)) ?? fault('notFound')
      return {
        certificateId: certificate.id,
        compromised: certificate.revoked?.reason === 'keyCompromise',
        siblings: siblings.map((one) => ({
          certificateId: one.id,
          caId: one.caId,
          name: one.name,
          caName: one.caName,
          serialNumber: one.serialHex,
          status: certificateStatus(one, now),
          validTo: one.notAfter.toISOString(),
        })),
        total,
        // A visitor sees what the tenancy's own people see.
        elsewhere: viewer.homeTenantId === viewer.tenantId ? await siblingsElsewhere(db, viewer.tenantId, certificate.id, now) : undefined,
      }
    },

    async status(reference, { db, viewer, now, fault }) {
      const certificate = await findCertificate(db, viewer.tenantId, reference, now)
      if (certificate === undefined) return fault('notFound')
      const row = await latestRevocationOf(db, viewer.tenantId, certificate.id)
      return {
        certificateId: certificate.id,
        revocation: row && presentRevocation(row, await caNameOf(db, viewer.tenantId, row.ca_id, now)),
      }
    },

    async view(reference, { db, viewer, now, fault }) {
      const certificate = (await findCertificate(db, viewer.tenantId, reference, now)) ?? fault('notFound')
      const row = (await latestRevocationOf(db, viewer.tenantId, certificate.id)) ?? fault('noneAsked')
      const approval = await findApprovalOf(db, subjectOf(row), voterOf(viewer))
      return {
        ...presentRevocation(row, await caNameOf(db, viewer.tenantId, row.ca_id, now)),
        approval: approval && {
          needed: approval.needed,
          approvals: approval.approvals,
          votes: approval.votes
            .filter((one) => !one.void)
            .map(({ voter, verdict, comment, at }) => ({ voter, verdict, comment, at: at.toISOString() })),
          mayVote: approval.refusal === undefined,
          refusal: approval.refusal && voteRefusals[approval.refusal].says,
        },
        mayCancel: row.state === 'pending' && mayCancel(viewer, row, certificate),
      }
    },

    async search(query, { db, viewer, now }) {
      const { rows, total, more } = await searchRevocations(db, viewer.tenantId, query)
      const names = new Map((await listUsableIssuers(db, viewer.tenantId, now)).map(({ caId, friendlyName }) => [caId, friendlyName]))
      return { rows: rows.map((row) => presentRevocation(row, names.get(row.ca_id ?? '') ?? '')), total, more }
    },

    async vote({ revocationId, verdict, comment }, context) {
      const { db, viewer, now, emit, house, fault } = context
      const { tenantId } = viewer
      const before = await findRevocation(db, tenantId, revocationId)
      if (before === undefined) return fault('missing')
      const counted = await vote(house, db, { ...subjectOf(before), voter: voterOf(viewer), verdict, comment: comment.trim(), now })
      if ('refused' in counted)
        return counted.refused === 'closed'
          ? fault('decided', { params: { how: await howIn(db, (await findRevocation(db, tenantId, revocationId)) ?? before) } })
          : fault(counted.refused)
      const row = (await findRevocation(db, tenantId, revocationId)) ?? before
      emit('voted', { revocationId, certificateId: row.certificate_id, verdict }, row.certificate_id)
      emitSettled(emit, row)
      return {
        ...(await answerFor(row, context)),
        ok: row.state !== 'failed',
        complete: counted.state !== 'waiting',
        approvals: counted.approvals,
        needed: counted.needed,
      }
    },

    async cancel({ revocationId }, { db, viewer, now, emit, fault }) {
      const row = await findRevocation(db, viewer.tenantId, revocationId)
      if (row === undefined) return fault('missing')
      const certificate = await findCertificate(db, viewer.tenantId, { certId: row.certificate_id }, now)
      if (!mayCancel(viewer, row, certificate)) return fault(viewer.permission.api.includes('certView') ? 'notYours' : 'missing')
      return (await withdraw({ db, viewer, now, emit }, row)) ? { ok: true } : fault('decided', { params: { how: await howIn(db, row) } })
    },

    async retry({ revocationId }, context) {
      const { db, viewer, now, emit, fault } = context
      const { tenantId } = viewer
      const row = await lockRevocation(db, tenantId, revocationId)
      if (row === undefined) return fault('missing')
      if (row.state !== 'failed') return fault('notFailed')
      // The certificate may be on hold for another reason since: a release is judged by who asks for it, and when.
      if (isRelease(row)) return fault('askAnew')
      const done = withOutcome(row, await settle(db, row, now), actorOf(viewer), now)
      await changeRevocation(db, tenantId, row.id, {
        state: done.state,
        failure_code: done.failure_code,
        decided_by: done.decided_by,
        decided_at: done.decided_at,
      })
      emitSettled(emit, done)
      return answerFor(done, context)
    },

    async runDrill({ name, ...query }, { db, viewer, now, emit, fault }) {
      const report = await holdDrill(db, viewer.tenantId, query, now)
      if (report.matched === 0) return fault('nothing')
      const id = timeOrderedId(now)
      await insertDrill(db, {
        tenant_id: viewer.tenantId,
        id,
        at: now,
        by_id: viewer.userId,
        by_name: actorOf(viewer),
        name,
        query,
        report,
      })
      emit('drilled', { drillId: id, matched: report.matched, cutOff: report.cutOff }, id)
      return { drillId: id }
    },

    drill: async ({ drillId }, { db, viewer, fault }) => presentDrill((await findDrill(db, viewer.tenantId, drillId)) ?? fault('missing')),

    async searchDrills(query, { db, viewer }) {
      const { rows, total } = await searchDrills(db, viewer.tenantId, query)
      return { rows: rows.map(presentDrill), total }
    },

    async lists(_input, { db, viewer, now }) {
      const lists = await listFreshness(db, viewer.tenantId, now)
      return {
        lists: lists.map(({ thisUpdate, nextUpdate, ...list }) => ({
          ...list,
          thisUpdate: thisUpdate?.toISOString(),
          nextUpdate: nextUpdate?.toISOString(),
        })),
      }
    },

    async publication({ caId }, { db, viewer, now, fault }) {
      return (await publicationOf(db, viewer.tenantId, caId, now)) ?? fault('missing')
    },

    async setPublication(
      { caId, shards, signedBy, listHours, answerMinutes, ...others },
      { db, viewer, now, house, emit, afterCommit, fault },
    ) {
      const { tenantId } = viewer
      const issuer = await findIssuer(db, tenantId, caId, now)
      if (issuer === undefined) return fault('missing')
      const before = await statusSettingsOf(db, tenantId, caId)
      const settings = {
        ...others,
        signedBy: signedBy ?? before.signedBy,
        listHours: listHours ?? before.listHours,
        answerMinutes: answerMinutes ?? before.answerMinutes,
      }
      if (settings.signedBy === 'signerOnToken' && (await tokenOf(db, issuer)) === undefined)
        throw invalidField('signedBy', say`The key of this authority lives on no token`)
      if (!(await setCrlShards(db, tenantId, caId, shards)))
        throw invalidField('shards', say`There are ${issuer.crlShards} parts, and certificates that name them`)
      await setStatusSettings(db, tenantId, caId, settings)
      if (settings.signedBy !== before.signedBy) await endAllSigners(db, tenantId, caId, 'unwanted', now)
      await tellStatusChange(db, caId)
      emit('publicationSet', { caId, shards, ...settings }, caId)
      afterCommit(() => publishSoon(house, tenantId, caId))
      if (settings.signedBy !== 'authority') afterCommit(() => house.wake(revocation.jobs.signers))
      return {}
    },

    async replaceSigner({ caId }, { viewer, house, now, request, transact, fault }) {
      const { tenantId } = viewer
      await transact(async ({ db, emit }) => {
        if ((await findIssuer(db, tenantId, caId, now)) === undefined) fault('missing')
        const ended = await endExposed(db, tenantId, caId, now)
        if (ended.length === 0) fault('noSigner')
        for (const { id, serial_hex: serialNumber } of ended) emit('signerReplaced', { caId, signerId: id, serialNumber }, caId)
      })
      await untilAnswersAreNew(house, tenantId, caId)
      // From here on the authority signs by itself, until there is another.
      return keepSigner(house, tenantId, caId, { userId: viewer.userId, name: actorOf(viewer), address: request.address }).then(
        () => ({ waits: false }),
        (error: unknown) => {
          if (!(error instanceof KeyUnavailable)) throw error
          return { waits: true }
        },
      )
    },

    async makeList({ caId, part }, { viewer, house, request, fault }) {
      const made = await makeCrl(
        house,
        { tenantId: viewer.tenantId, caId, part },
        { wanted: 'new', actor: { userId: viewer.userId, name: actorOf(viewer), address: request.address } },
      )
      return made === undefined ? fault('missing') : { caId, number: made.number }
    },
  },
  {
    endpoints: publicEndpoints,
    // An authority has its first list as soon as it has its certificate: who verifies the first thing it issues finds one.
    subscriptions: [
      on(authorities.events.certified, async ({ tenantId, about }, house) => publishSoon(house, tenantId, about)),
      publishOfStopped,
      ...tellHolders,
      // From then on the list of the old key says for which addresses it speaks.
      on(authorities.events.succession, async ({ tenantId, about }, house) => publishSoon(house, tenantId, about)),
      on(keys.events.tokenAvailable, async (_delivery, house) => house.wake(revocation.jobs.signers)),
    ],
    jobs: { lists: { inTenancy: makeDueCrls }, signers: { inTenancy: keepSigners } },
    atHome: { lists: [{}] },
    offers: [
      offer(bulkActions, bulkAction(revokeMany), bulkAction(holdMany), bulkAction(releaseMany)),
      offer(completions, { kind: subjectKind, approved: settleApproved, denied: closeDenied }),
      offer(workSources, revocationsWaiting),
      offer(transactionSources, revocationTransactions),
      offer(workWaiting, { needs: 'certRevokeView', count: (db, viewer) => openRevocations(db, viewer.tenantId, voterOf(viewer)) }),
    ],
    async start(house) {
      leasesOf(house)
    },
    async stop(house) {
      await finishPublishing(house)
      await closeLeases(house)
    },
  },
)

async function findFor(db: Database, viewer: Viewer, reference: CertificateReference, now: Date): Promise<Certificate | undefined> {
  const certificate = await findCertificate(db, viewer.tenantId, reference, now)
  return certificate && mayKnow(viewer, certificate) ? certificate : undefined
}

const caNameOf = async (db: Database, tenantId: string, caId: string | null, now: Date): Promise<string> =>
  caId === null ? '' : ((await findUsableIssuer(db, tenantId, caId, now))?.friendlyName ?? '')

type Answering = Pick<CallContext<typeof revocation, 'revoke'>, 'db' | 'viewer' | 'now' | 'house' | 'afterCommit'>

/** What became of it. Where it is done, the answer waits until nobody is told otherwise. */
async function answerFor(row: RevocationRecord, { db, viewer: { tenantId }, now, house, afterCommit }: Answering) {
  const { ca_id: caId, state } = row
  if (caId === null) return resultOf(row, undefined)
  if (state === 'revoked' || state === 'released') afterCommit(() => untilAnswersAreNew(house, tenantId, caId))
  return resultOf(row, await findUsableIssuer(db, tenantId, caId, now))
}

/** In the transaction of the last vote. */
async function settleApproved(db: Database, { tenantId, subjectId, decidedBy, now }: Outcome): Promise<void> {
  const row = await lockRevocation(db, tenantId, subjectId)
  if (row?.state !== 'pending') return
  const done = withOutcome(row, await settle(db, row, now), decidedBy.name, now)
  await changeRevocation(db, tenantId, row.id, {
    state: done.state,
    failure_code: done.failure_code,
    decided_by: done.decided_by,
    decided_at: done.decided_at,
  })
}

async function closeDenied(db: Database, { tenantId, subjectId, decidedBy, now }: Outcome): Promise<void> {
  await changeRevocation(db, tenantId, subjectId, { state: 'denied', decided_by: decidedBy.name, decided_at: now })
}

/** How a revocation was decided and by whom, for who comes too late. */
const howIn = async (db: Database, row: RevocationRecord): Promise<string> =>
  howAndByWhom(howDecided[row.state], await decidersOf(db, subjectOf(row)))
