// The home page gathers: it asks the rooms below through their services and keeps nothing of its own.

import { decidedOnce, waitingFor } from '#areas/approvals/service.ts'
import { recentActivity } from '#areas/audit/service.ts'
import { listUsableIssuers } from '#areas/authorities/licensing.ts'
import { approvalKind, certificateStatuses } from '#areas/certificates/rules.ts'
import { countByStatus, countCertificates } from '#areas/certificates/service.ts'
import { authoritiesInTrouble } from '#areas/health/service.ts'
import { listFreshness, openRevocations } from '#areas/revocation/service.ts'
import { listTemplates } from '#areas/templates/service.ts'
import { findTenancy } from '#areas/tenancy/service.ts'
import { countPeople } from '#areas/users/service.ts'
import { satisfies } from '#core/contract/permissions.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import { databaseVersion } from '#core/server/database.ts'
import { serve } from '#core/server/serve.ts'
import { home } from '../contract.ts'
import { firstSteps, foldRepeats, spanText, weeksAhead, weeksBack, weeksShown, type Span } from '../rules.ts'
import { listDocuments, readDocument, readLicences } from './about.ts'

/** A job that did the same a hundred times leaves room for what else happened. */
const activityLookedAt = 200
const activityShown = 12
const capped = (counted: number) => ({ count: Math.min(counted, countedUpTo), more: counted > countedUpTo })
const shownSpan = (span: Span) => ({ from: span.from.toISOString(), until: span.until.toISOString(), span: spanText(span) })

export default serve(home, {
  async firstRun(_input, { db, viewer, now }) {
    const { tenantId } = viewer
    const done = {
      support: ((await findTenancy(db, tenantId))?.supportEmail ?? '') !== '',
      person: (await countPeople(db, tenantId)) > 1,
      authority: (await listUsableIssuers(db, tenantId, now)).some(({ status, enabled }) => status === 'ActiveCert' && enabled),
      template: (await listTemplates(db, tenantId, now)).some(({ enabled }) => enabled),
      certificate: (await countCertificates(db, tenantId, {}, now)) > 0,
      approval: await decidedOnce(db, tenantId),
    }
    return { steps: firstSteps.map((step) => ({ step, done: done[step] })) }
  },

  async certificates(_input, { db, viewer, now }) {
    const count = async (filter: Parameters<typeof countCertificates>[2]) =>
      capped(await countCertificates(db, viewer.tenantId, filter, now))
    const byStatus = await countByStatus(db, viewer.tenantId, now)
    const statuses = certificateStatuses.map((status) => ({ status, count: byStatus[status], more: false }))
    const ending = []
    for (const span of weeksAhead(now, weeksShown)) ending.push({ ...shownSpan(span), ...(await count({ ends: spanText(span) })) })
    const history = []
    for (const span of weeksBack(now, weeksShown))
      history.push({
        ...shownSpan(span),
        issued: await count({ issued: spanText(span) }),
        revoked: await count({ revoked: spanText(span) }),
      })
    return { statuses, ending, history }
  },

  async waiting(_input, { db, viewer }) {
    const voter = { userId: viewer.userId, permissions: viewer.permission.api }
    const may = (needs: 'certApprovals' | 'certRevokeView' | 'monitor') => satisfies(viewer.permission.api, needs)
    return {
      ...(may('certApprovals') ? { approvals: await waitingFor(db, viewer.tenantId, voter, approvalKind) } : {}),
      ...(may('certRevokeView') ? { revocations: await openRevocations(db, viewer.tenantId) } : {}),
      ...(may('monitor') ? { authorities: await authoritiesInTrouble(db, viewer.tenantId) } : {}),
    }
  },

  async activity(_input, { db, viewer }) {
    const rows = foldRepeats(await recentActivity(db, viewer.tenantId, activityLookedAt)).slice(0, activityShown)
    return {
      rows: rows.map(({ id, at, actor, area, name, outcome, times }) => ({ id, at: at.toISOString(), actor, area, name, outcome, times })),
    }
  },

  async lists(_input, { db, viewer, now }) {
    const lists = await listFreshness(db, viewer.tenantId, now)
    return {
      lists: lists.map(({ caId, caName, number, thisUpdate, nextUpdate, entries, due }) => ({
        caId,
        caName,
        entries,
        due,
        ...(number === undefined ? {} : { number }),
        ...(thisUpdate === undefined ? {} : { thisUpdate: thisUpdate.toISOString() }),
        ...(nextUpdate === undefined ? {} : { nextUpdate: nextUpdate.toISOString() }),
      })),
    }
  },

  async about(_input, { db, house }) {
    return {
      version: house.version,
      runtime: `Node ${process.versions.node}, OpenSSL ${process.versions.openssl}`,
      database: `PostgreSQL ${await databaseVersion(db)}`,
      licences: readLicences(),
    }
  },

  documentation: async () => ({ files: listDocuments() }),

  document: async ({ name }, { fault }) => readDocument(name) ?? fault('missing'),
})
