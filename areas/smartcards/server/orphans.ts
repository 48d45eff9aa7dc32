// Certificates whose key is on no card: of operations that nobody came back to, and those that a later issue replaced. They are revoked.

import { protocolRequestState } from '#areas/certificates/protocols.ts'
import { findCertificate } from '#areas/certificates/service.ts'
import { revokeByProtocol } from '#areas/revocation/protocols.ts'
import type { TakeTurn } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { smartcards } from '../contract.ts'
import { listForgotten, listOrphans, updateSlot, updateState } from './operation-store.ts'

/** Whoever has not come back by then does not. */
const patienceMilliseconds = 24 * 3_600_000
const most = 50

export const orphansTurn: TakeTurn = async ({ house, tenantId }) => {
  const orphans = await withTenancy(house, tenantId, async (tenancy) => {
    const before = new Date(tenancy.now.getTime() - patienceMilliseconds)
    for (const { id } of await listForgotten(tenancy, before, most)) await updateState(tenancy, id, 'abandoned')
    return listOrphans(tenancy, most)
  })
  let revoked = 0
  for (const { operation_id: operationId, slot, card_id: cardId, certificate_id: known, request_id: requestId, state } of orphans) {
    const certificateId =
      known ??
      (requestId === null
        ? undefined
        : (await withTenancy(house, tenantId, ({ db }) => protocolRequestState(db, tenantId, requestId)))?.certificateId)
    const found =
      certificateId === undefined
        ? undefined
        : await withTenancy(house, tenantId, ({ db, now }) => findCertificate(db, tenantId, { certId: certificateId }, now))
    if (found !== undefined && found.revoked === undefined) {
      const outcome = await revokeByProtocol(house, {
        tenantId,
        certificateId: found.id,
        reason: state === 'former' ? 'superseded' : 'cessationOfOperation',
        by: 'Card desk',
        address: '',
      })
      // Others must agree, or it cannot be done now: it is looked at again.
      if (outcome !== 'revoked' && outcome !== 'alreadyRevoked') continue
      await house.work(tenantId, { name: 'Card desk' }, async ({ emitFor }) =>
        emitFor(smartcards)('orphanRevoked', { cardId, certificateId: found.id }, cardId),
      )
    }
    await withTenancy(house, tenantId, (tenancy) => updateSlot(tenancy, operationId, slot, { state: 'ended' }))
    revoked += 1
  }
  return revoked === most ? 'more' : undefined
}
