import { inTenant } from '#core/server/database.ts'
import { serve } from '#core/server/serve.ts'
import { actorOf } from '#core/server/visiting.ts'
import { checkRenewal, requestRenewal, type RenewalKey } from '#areas/certificates/renewing.ts'
import { renewal } from '../contract.ts'
import { dateText } from '../rules.ts'
import { findFor, lookAt, mayRenew, shownAttempt, shownTo } from './look.ts'
import { begin, commentOf, isOpen, settle, takeUp } from './renew.ts'
import { endForRevoked, runRenewals } from './run.ts'
import { countStates, searchRenewals, standingRenewal } from './store.ts'

export default serve(
  renewal,
  {
    async info(reference, { viewer, house, now, transact, fault }) {
      const certificate = (await transact(({ db }) => findFor(db, viewer, reference))) ?? fault('noSuchCertificate')
      const looked = await lookAt(house, viewer.tenantId, certificate)
      return transact(({ db }) => shownTo(db, viewer, looked, now))
    },

    async renew({ csr, ...reference }, { viewer, house, now, fault, transact, recordedByRoom }) {
      const { tenantId } = viewer
      const certificate = (await transact(({ db }) => findFor(db, viewer, reference))) ?? fault('noSuchCertificate')
      if (!mayRenew(viewer, certificate)) fault('notYours')
      const { mode, window, status, standing, verdict } = await lookAt(house, tenantId, certificate)
      if (certificate.renewed_by !== null) fault('already')
      if (certificate.ca_id === null || mode === 'NONE') fault('never')
      if (status === 'expired' || status === 'revoked') fault('over')
      if (standing !== undefined && isOpen(standing)) fault('underWay')
      if (verdict.kind === 'superseded' || verdict.kind === 'rule') fault('notNeeded', { params: { reason: verdict.says } })
      if (now < window.opens) fault('early', { params: { from: dateText(window.opens) } })
      const given = csr === undefined || csr.trim() === '' ? undefined : csr
      if (given === undefined && mode === 'AUTOMATIC_NEW_KEY' && !certificate.madeHere) fault('needsKey', { fields: [{ field: 'csr', says: 'Paste the certificate request (CSR) that you made from the new key' }] })
      const key: RenewalKey = given !== undefined ? { csr: given } : mode === 'AUTOMATIC_NEW_KEY' ? 'made' : 'same'
      // Of one's own certificate the template's mode is leave enough, as it is for the job; a narrowed token serves oneself only where its scopes say so.
      const servesSelf = viewer.narrowed !== true || viewer.permission.api.includes('selfServicePortal')
      const asking = certificate.holder_user_id === viewer.userId && servesSelf ? { ...viewer, permission: { ...viewer.permission, api: [...viewer.permission.api, 'certSigningRequestUser' as const] } } : viewer
      const actor = { userId: viewer.userId, name: actorOf(viewer) }
      const order = { tenantId, certificateId: certificate.id, key, viewer: asking, by: actorOf(viewer), comment: commentOf(certificate, key) }
      const refuse = (says: string) => fault('refused', { params: { reason: says }, ...(given === undefined ? {} : { fields: [{ field: 'csr', says }] }) })
      const inTheWay = await checkRenewal(house, order)
      if (inTheWay !== undefined) return refuse(inTheWay.says)

      const seen = await inTenant(house.database, tenantId, (db) => standingRenewal(db, tenantId, certificate.id))
      if (seen?.state === 'renewed') fault('already')
      if (seen?.state === 'asking' || seen?.state === 'waiting') fault('underWay')
      const claimed = (seen === undefined ? await begin(house, tenantId, certificate, mode, actorOf(viewer), 1) : await takeUp(house, seen, mode, actorOf(viewer))) ?? fault('underWay')
      const outcome = await requestRenewal(house, order)
      const row = await settle(house, claimed, certificate, outcome, actor)
      // `settle` has written who did it and what came of it.
      recordedByRoom()
      if ('refused' in outcome) return refuse(outcome.refused.says)
      return { state: row.state, requestId: outcome.requestId, ...(outcome.certificateId === undefined ? {} : { certificateId: outcome.certificateId }), reason: outcome.error }
    },

    async search({ text, state, page, size, sort, direction }, { db, viewer }) {
      const { rows, total, more } = await searchRenewals(db, viewer.tenantId, { text, state, page, size, sort, direction })
      return {
        rows: rows.map((row) => ({
          ...shownAttempt(row),
          certificateId: row.certificate_id,
          name: row.name,
          templateName: row.template_name,
          notAfter: row.not_after.toISOString(),
          mode: row.mode,
          ...(row.successor_id === null ? {} : { successorId: row.successor_id }),
        })),
        total,
        more,
        facets: { state: await countStates(db, viewer.tenantId, text) },
      }
    },
  },
  { subscriptions: [endForRevoked], jobs: [{ name: 'renewal.run', title: 'Renew certificates that end soon', every: '*/5 * * * *', run: runRenewals }] },
)
