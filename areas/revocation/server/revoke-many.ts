// Revoking what a list's filter finds, row by row through the way of the single call.

import { sql, type RawBuilder } from 'kysely'
import * as z from 'zod'
import { faultsOf, registerBulkAction, type BulkAction } from '#areas/bulk/service.ts'
import { CertificateFilter } from '#areas/certificates/contract.ts'
import { revocationFacts, selectCertificates } from '#areas/certificates/service.ts'
import { Paragraph } from '#core/contract/shapes.ts'
import { Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { revocation } from '../contract.ts'
import { allReasons, failureCodes, isFailureCode, mayChoose, revokeAction } from '../rules.ts'
import { revokeOne, tellTheWorld } from './revoke.ts'

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
  targets: (db, { tenantId, query, selected, now }) => selectCertificates(db, tenantId, query, selected, now),
  facts: (db, { tenantId, now }, ids: RawBuilder<unknown>) => revocationFacts(db, tenantId, sql`${ids}`, now),

  async perform({ db, emitFor, afterCommit }, { viewer, now, house }, { id }, { reason, note }) {
    const { row } = await revokeOne({ db, viewer, now, emit: emitFor(revocation), fault: faultsOf(revocation.calls.revoke) }, { reference: { certId: id }, reason, note })
    // The single call keeps a failed revocation for somebody to try again; here the run keeps it, with its reason.
    if (row.state === 'failed') throw new Fault(row.failure_code ?? 'failed', { status: 409, says: isFailureCode(row.failure_code ?? '') ? failureCodes[row.failure_code ?? 'unknownSerial'] : 'The certificate was not revoked' })
    const { ca_id: caId, tenant_id: tenantId } = row
    if (row.state === 'revoked' && caId !== null) afterCommit(() => tellTheWorld(house, tenantId, caId), caId)
    return row.state
  },
}

export const registerRevokeMany = (house: House): void => registerBulkAction(house, revokeMany)
