// Temporary cards whose time is over: their certificates are revoked. The card that they stood for stays suspended until somebody takes it back into use.

import { revokeByProtocol } from '#areas/revocation/protocols.ts'
import { forEach } from '#core/server/each.ts'
import type { House } from '#core/server/house.ts'
import type { TakeTurn } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { smartcards } from '../contract.ts'
import { losable, type CardStatus } from '../rules.ts'
import { listOverTemporary } from './life-store.ts'
import { beginMove, certificateOfSlot, endMove } from './life.ts'
import { listMade } from './operation-store.ts'
import { updateCard, type CardRecord } from './store.ts'

const most = 50
const by = 'Card desk'
const fits = (status: CardStatus) => losable.includes(status)

/** Goes over all of them, because those that cannot be revoked now stay, and would keep those behind them from their turn. */
export const overTurn: TakeTurn = async ({ house, tenantId }) =>
  forEach(listPages(house, tenantId), (card) => endTemporary(house, tenantId, card))

async function* listPages(house: House, tenantId: string): AsyncGenerator<CardRecord> {
  let last: string | undefined
  do {
    const page: CardRecord[] = await withTenancy(house, tenantId, (tenancy) => listOverTemporary(tenancy, last, most))
    yield* page
    last = page.length === most ? page.at(-1)?.id : undefined
  } while (last !== undefined)
}

async function endTemporary(house: House, tenantId: string, { id, serial }: CardRecord): Promise<void> {
  const began = await withTenancy(house, tenantId, (tenancy) => beginMove(tenancy, id, fits))
  if ('refused' in began) return
  const certificateIds = await withTenancy(house, tenantId, async (tenancy) => {
    const found: string[] = []
    for (const row of await listMade(tenancy, [id])) {
      const certificateId = await certificateOfSlot(tenancy, row)
      if (certificateId !== undefined) found.push(certificateId)
    }
    return found
  })
  for (const certificateId of certificateIds) {
    const outcome = await revokeByProtocol(house, { tenantId, certificateId, reason: 'cessationOfOperation', by, address: '' })
    // Others must agree, or it cannot be done now: it is looked at again.
    if (outcome !== 'revoked' && outcome !== 'alreadyRevoked') return
  }
  await house.work(tenantId, { name: by }, async ({ tenancy, emitFor, afterCommit }) => {
    if ((await endMove(tenancy, id, began.fence, fits)) !== undefined) return
    await updateCard(tenancy, id, { status: 'REVOKED' })
    emitFor(smartcards)('revoked', { cardId: id, serial, reason: 'cessationOfOperation' }, id)
    afterCommit(() => house.wake(smartcards.jobs.orphans))
  })
}
