// Revoking what a list's filter finds, by the way of the single call.

import * as z from 'zod'
import { registerBulkAction, type BulkAction } from '#areas/bulk/service.ts'
import { CertificateFilter } from '#areas/certificates/contract.ts'
import { findCertificates, revocationFacts, selectCertificates } from '#areas/certificates/service.ts'
import { Paragraph } from '#core/contract/shapes.ts'
import { Fault, faultOfCall } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { revocation } from '../contract.ts'
import { allReasons, failureCodes, mayChoose, mayRevoke, revokeAction } from '../rules.ts'
import { revokeAll, tellTheWorld } from './revoke.ts'

const Query = CertificateFilter.extend({ text: z.string().max(200).default('') })
const Parameters = z.object({
  reason: z.enum(allReasons, 'Choose a reason').refine((reason) => mayChoose(reason, 'certificate'), 'This reason cannot be chosen for a certificate'),
  note: Paragraph(2000).default(''),
})

const revokeMany: BulkAction<z.infer<typeof Query>, z.infer<typeof Parameters>> = {
  name: revokeAction,
  needs: revocation.calls.revoke.needs,
  query: Query,
  parameters: Parameters,
  // Of all that match, those that this person may revoke; of those chosen one by one, each, so that its reason is told.
  targets: (db, { tenantId, viewer, query, selected, now }) =>
    selectCertificates(db, tenantId, query, selected, now, 'ids' in selected || mayRevoke(viewer, { requesterId: undefined, holderUserId: undefined }) ? undefined : viewer.userId),
  facts: (db, { tenantId, now }, ids) => revocationFacts(db, tenantId, ids, now),

  async perform({ db, emitFor, afterCommit }, { viewer, now, house }, targets, { reason, note }) {
    const certificates = await findCertificates(db, viewer.tenantId, targets.map(({ id }) => id), now)
    const revoked = await revokeAll({ db, viewer, now, emit: emitFor(revocation) }, [...certificates.values()], { reason, note })
    return targets.map(({ id }) => {
      const outcome = revoked.get(id)
      if (outcome === undefined) return faultOfCall(revocation.calls.revoke, 'notFound')
      if ('refused' in outcome) return faultOfCall(revocation.calls.revoke, outcome.refused)
      const { state, ca_id: caId, tenant_id: tenantId, failure_code: code } = outcome.row
      if (code !== null) return new Fault(code, { status: 409, says: failureCodes[code] })
      if (state === 'revoked' && caId !== null) afterCommit(() => tellTheWorld(house, tenantId, caId), caId)
      return state
    })
  },
}

export const registerRevokeMany = (house: House): void => registerBulkAction(house, revokeMany)
