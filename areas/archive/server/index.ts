import { howAndByWhom } from '#areas/approvals/rules.ts'
import { approvalsOf, completions, decidersOf, openApproval, vote } from '#areas/approvals/service.ts'
import { unsealForTenant } from '#areas/keys/sealing.ts'
import { offer } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { transactionSources, workSources } from '#core/server/slots.ts'
import { actorOf } from '#core/server/visiting.ts'
import { buildPkcs12 } from '#standards/pkcs12/pkcs12.ts'
import { archive } from '../contract.ts'
import { fetchWithin, howDecided, recoveryState } from '../rules.ts'
import { archivePurpose } from './purpose.ts'
import {
  changeRecovery,
  endLapsed,
  findArchivedKey,
  findRecovery,
  insertRecovery,
  lockRecovery,
  recoveriesWithKeys,
  searchArchivedKeys,
  type RecoveryRecord,
} from './store.ts'
import { kind, recoveriesWaiting, recoveryTransactions } from './work.ts'

const votePermission = 'certApprovals'

const subjectOf = (tenantId: string, subjectId: string) => ({ tenantId, kind, subjectId })
const voterOf = (viewer: Viewer) => ({ userId: viewer.userId, permissions: viewer.permission.api })
const stateOf = (row: RecoveryRecord, now: Date) => recoveryState({ state: row.state, decidedAt: row.decided_at ?? undefined }, now)

async function presentRecoveries(db: Database, viewer: Viewer, query: { requesterId?: string; page: number; size: number }, now: Date) {
  const { rows, ...counted } = await recoveriesWithKeys(db, viewer.tenantId, query)
  const approvals = await approvalsOf(
    db,
    viewer.tenantId,
    kind,
    rows.map(({ id }) => id),
    voterOf(viewer),
  )
  return {
    ...counted,
    rows: rows.map((row) => {
      const state = stateOf(row, now)
      const approval = approvals.get(row.id)
      return {
        recoveryId: row.id,
        name: row.name,
        holder: row.holder,
        serialNumber: row.serial_hex,
        requester: row.requester,
        reason: row.reason,
        state,
        requestedAt: row.requested_at.toISOString(),
        decidedBy: row.decided_by ?? '',
        approvals: approval?.approvals ?? 0,
        needed: approval?.needed ?? row.recovery_approvers,
        mayVote: approval?.mayVote ?? false,
        mayFetch: state === 'approved' && row.requester_id === viewer.userId,
      }
    }),
  }
}

export default serve(
  archive,
  {
    async search(query, { db, viewer }) {
      const { rows, ...counted } = await searchArchivedKeys(db, viewer.tenantId, query)
      return {
        ...counted,
        rows: rows.map((row) => ({
          archivedKeyId: row.id,
          certificateId: row.certificate_id,
          name: row.name,
          subject: row.subject,
          caName: row.ca_name,
          serialNumber: row.serial_hex,
          holder: row.holder,
          templateName: row.template_name,
          keyKind: row.key_kind,
          notAfter: row.not_after.toISOString(),
          archivedAt: row.archived_at.toISOString(),
          approvers: row.recovery_approvers,
        })),
      }
    },

    recoveries: ({ page, size }, { db, viewer, now }) => presentRecoveries(db, viewer, { page, size }, now),

    async own(_input, { db, viewer, now }) {
      return { recoveries: (await presentRecoveries(db, viewer, { requesterId: viewer.userId, page: 1, size: 100 }, now)).rows }
    },

    async request({ archivedKeyId, reason }, { db, viewer, now, emit, fault }) {
      const archived = (await findArchivedKey(db, viewer.tenantId, archivedKeyId)) ?? fault('missing')
      const recoveryId = timeOrderedId(now)
      await endLapsed(db, viewer.tenantId, archivedKeyId, viewer.userId, new Date(now.getTime() - fetchWithin))
      await insertRecovery(db, {
        tenant_id: viewer.tenantId,
        id: recoveryId,
        archived_key_id: archivedKeyId,
        requester_id: viewer.userId,
        requester: actorOf(viewer),
        reason,
        state: 'waiting',
        requested_at: now,
        decided_at: null,
        decided_by: null,
        collected_at: null,
      })
      await openApproval(db, {
        ...subjectOf(viewer.tenantId, recoveryId),
        title: `Recover the key of ${archived.name}`,
        rule: { needed: archived.recovery_approvers, permission: votePermission },
        requester: { userId: viewer.userId, name: actorOf(viewer) },
        now,
      })
      emit('recoveryRequested', { recoveryId, archivedKeyId, certificateId: archived.certificate_id, reason }, archived.certificate_id)
      return { recoveryId, needed: archived.recovery_approvers }
    },

    async vote({ recoveryId, verdict, comment }, { db, viewer, now, emit, house, fault }) {
      const { tenantId } = viewer
      const before = (await lockRecovery(db, tenantId, recoveryId)) ?? fault('missing')
      const archived = (await findArchivedKey(db, tenantId, before.archived_key_id)) ?? fault('missing')
      const counted = await vote(house, db, {
        ...subjectOf(tenantId, recoveryId),
        voter: { ...voterOf(viewer), name: actorOf(viewer) },
        verdict,
        comment: comment.trim(),
        now,
      })
      if ('refused' in counted && counted.refused === 'closed') {
        const how = howDecided[stateOf((await findRecovery(db, tenantId, recoveryId)) ?? before, now)]
        return fault('closed', { params: { how: howAndByWhom(how, await decidersOf(db, subjectOf(tenantId, recoveryId))) } })
      }
      if ('refused' in counted) return fault(counted.refused)
      emit('recoveryVoted', { recoveryId, certificateId: archived.certificate_id, verdict }, archived.certificate_id)
      const after = (await findRecovery(db, tenantId, recoveryId)) ?? before
      return { state: stateOf(after, now), approvals: counted.approvals, needed: counted.needed }
    },

    async fetch({ recoveryId, password }, { viewer, now, house, transact, fault }) {
      const { tenantId } = viewer
      const refuse = (row: RecoveryRecord | undefined): RecoveryRecord => {
        // Only whoever asked fetches: what others agreed to was that person and that reason.
        if (row === undefined || row.requester_id !== viewer.userId) return fault('missing')
        const state = stateOf(row, now)
        if (state === 'lapsed') fault('lapsed')
        if (state === 'collected') fault('fetched')
        if (state !== 'approved') fault('notAgreed')
        return row
      }
      const { archived, key } = await transact(async ({ db }) => {
        const row = refuse(await findRecovery(db, tenantId, recoveryId))
        const found = (await findArchivedKey(db, tenantId, row.archived_key_id)) ?? fault('missing')
        return {
          archived: found,
          key: await unsealForTenant(db, house, {
            tenantId,
            purpose: archivePurpose(tenantId, found.id),
            sealed: found.sealed,
            tenantKeyId: found.tenant_key_id,
          }),
        }
      })
      try {
        const pkcs12 = await buildPkcs12({
          privateKeyPkcs8: key,
          certificates: [archived.certificate, ...archived.chain],
          password,
          friendlyName: archived.name,
        })
        // The record before the file leaves: of two that fetch at once, one does.
        await transact(async ({ db, emit }) => {
          refuse(await lockRecovery(db, tenantId, recoveryId))
          await changeRecovery(db, tenantId, recoveryId, { state: 'collected', collected_at: now })
          emit('recovered', { recoveryId, archivedKeyId: archived.id, certificateId: archived.certificate_id }, archived.certificate_id)
        })
        return { fileName: `${fileName(archived.name)}.p12`, pkcs12: Buffer.from(pkcs12).toString('base64') }
      } finally {
        key.fill(0)
      }
    },
  },
  {
    offers: [
      offer(workSources, recoveriesWaiting),
      offer(transactionSources, recoveryTransactions),
      offer(completions, {
        kind,
        approved: (db, { tenantId, subjectId, now, decidedBy }) =>
          changeRecovery(db, tenantId, subjectId, { state: 'approved', decided_at: now, decided_by: decidedBy.name }),
        denied: (db, { tenantId, subjectId, now, decidedBy }) =>
          changeRecovery(db, tenantId, subjectId, { state: 'denied', decided_at: now, decided_by: decidedBy.name }),
      }),
    ],
  },
)

const fileName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/[^\w.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 60) || 'key'
