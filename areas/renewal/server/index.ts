import { bulkActions } from '#areas/bulk/service.ts'
import { endingOf } from '#areas/certificates/renewing.ts'
import { offer } from '#core/contract/slots.ts'
import { serve } from '#core/server/serve.ts'
import { personalData } from '#core/server/slots.ts'
import { renewal } from '../contract.ts'
import { endingDays, mostEnding } from '../rules.ts'
import { choicesOf, findFor, checkCertificate, presentAttempt, presentTo } from './check.ts'
import { deleteNoticesOf } from './notice-store.ts'
import { renewNow } from './now.ts'
import { renewMany } from './renew-many.ts'
import { endForRevoked, runRenewals } from './run.ts'
import { countStates, searchRenewals } from './store.ts'

export default serve(
  renewal,
  {
    async info(reference, { viewer, house, transact, fault }) {
      const certificate = (await transact(({ db }) => findFor(db, viewer, reference))) ?? fault('noSuchCertificate')
      const checked = await checkCertificate(house, viewer, certificate)
      const choices = await choicesOf(house, viewer, checked)
      return transact(({ db }) => presentTo(db, viewer, checked, choices))
    },

    async ending(_input, { viewer, house, now, transact }) {
      const { tenantId, userId } = viewer
      const found = await transact(({ db }) =>
        endingOf(db, tenantId, userId, { now, until: new Date(now.getTime() + endingDays * 86_400_000), most: mostEnding + 1 }),
      )
      const certificates = []
      for (const { id } of found.slice(0, mostEnding)) {
        const certificate = await transact(({ db }) => findFor(db, viewer, { certId: id }))
        if (certificate === undefined) continue
        const checked = await checkCertificate(house, viewer, certificate)
        const { step, keys } = await choicesOf(house, viewer, checked)
        // What could be done early is nothing that waits for anybody.
        const choices = { keys, step: step === 'early' ? ('none' as const) : step }
        certificates.push(await transact(({ db }) => presentTo(db, viewer, checked, choices)))
      }
      return { certificates, more: found.length > mostEnding }
    },

    async renew({ key: wanted, csr, early, ...reference }, { viewer, house, request: { address }, fault, transact, recordedByRoom }) {
      const certificate = (await transact(({ db }) => findFor(db, viewer, reference))) ?? fault('noSuchCertificate')
      const { key, state, requestId, certificateId, reason, findings } = await renewNow(
        house,
        { viewer, address, certificate, key: wanted, csr, early },
        fault,
        recordedByRoom,
      )
      return { key, state, requestId, ...(certificateId === undefined ? {} : { certificateId }), reason, findings }
    },

    async search({ text, state, page, size, sort, direction }, { db, viewer }) {
      const { rows, total, more } = await searchRenewals(db, viewer.tenantId, { text, state, page, size, sort, direction })
      return {
        rows: rows.map((row) => ({
          ...presentAttempt(row),
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
  {
    subscriptions: [endForRevoked],
    jobs: { run: { inTenancy: runRenewals } },
    offers: [offer(bulkActions, renewMany), offer(personalData, deleteNoticesOf)],
  },
)
