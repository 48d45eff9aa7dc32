// Temporary cards whose time is over: their certificates are revoked. The card that they stood for stays suspended until somebody takes it back into use.

import { revokeByProtocol } from '#areas/revocation/protocols.ts'
import type { TakeTurn } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { smartcards } from '../contract.ts'
import { listOverTemporary } from './life-store.ts'
import { listCurrent } from './operation-store.ts'
import { lockCard, updateCard } from './store.ts'

const most = 50
const by = 'Card desk'

export const overTurn: TakeTurn = async ({ house, tenantId }) => {
  const over = await withTenancy(house, tenantId, (tenancy) => listOverTemporary(tenancy, most))
  let ended = 0
  for (const { id, serial } of over) {
    const current = await withTenancy(house, tenantId, (tenancy) => listCurrent(tenancy, [id]))
    const outcomes: string[] = []
    for (const { certificate_id: certificateId } of current)
      if (certificateId !== null)
        outcomes.push(await revokeByProtocol(house, { tenantId, certificateId, reason: 'cessationOfOperation', by, address: '' }))
    // Others must agree, or it cannot be done now: it is looked at again.
    if (outcomes.some((outcome) => outcome !== 'revoked' && outcome !== 'alreadyRevoked')) continue
    await house.work(tenantId, { name: by }, async ({ tenancy, emitFor }) => {
      await lockCard(tenancy, id)
      await updateCard(tenancy, id, { status: 'REVOKED' })
      emitFor(smartcards)('revoked', { cardId: id, serial, reason: 'cessationOfOperation' }, id)
    })
    ended += 1
  }
  return ended === most ? 'more' : undefined
}
