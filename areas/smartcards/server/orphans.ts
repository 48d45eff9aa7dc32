// Certificates whose key is on no card: of operations that nobody came back to, and those that a later issue replaced. They are revoked.

import { protocolRequestState } from '#areas/certificates/protocols.ts'
import { findCertificate } from '#areas/certificates/service.ts'
import { revokeByProtocol } from '#areas/revocation/protocols.ts'
import { forEach } from '#core/server/each.ts'
import type { House } from '#core/server/house.ts'
import type { TakeTurn } from '#core/server/serve.ts'
import { withTenancy } from '#core/server/tenancy.ts'
import { smartcards } from '../contract.ts'
import { certificateOfSlot } from './life.ts'
import { findUnfinished, listForgotten, listOrphans, listSlots, updateSlot, updateState } from './operation-store.ts'
import { lockCard, updateCard, type SlotRecord } from './store.ts'

/** Whoever has not come back by then does not. */
const patienceMilliseconds = 24 * 3_600_000
const most = 50
/** Stages of a request that becomes no certificate any more. */
const overStages: readonly string[] = ['denied', 'withdrawn', 'failed']

/** Goes over all of them, because those that cannot be revoked now stay, and would keep those behind them from their turn. */
export const orphansTurn: TakeTurn = async ({ house, tenantId }) => {
  await withTenancy(house, tenantId, async (tenancy) => {
    const before = new Date(tenancy.now.getTime() - patienceMilliseconds)
    for (const { id, kind, card_id: cardId } of await listForgotten(tenancy, before, most)) {
      const card = await lockCard(tenancy, cardId)
      const unfinished = await findUnfinished(tenancy, cardId)
      // Somebody may have come back to it until the card was locked.
      if (unfinished?.id === id && unfinished.changed_at >= before) continue
      await updateState(tenancy, id, 'abandoned')
      // Some of its keys are new and some are not: which of its certificates are good is not known.
      const isHalf = kind === 'reissue' && card?.status === 'ISSUED' && (await listSlots(tenancy, id)).length > 0
      if (isHalf) await updateCard(tenancy, cardId, { status: 'UNKNOWN' })
    }
  })
  await forEach(listPages(house, tenantId), (orphan) => revokeOrphan(house, tenantId, orphan))
}

async function* listPages(house: House, tenantId: string): AsyncGenerator<SlotRecord> {
  let last: SlotRecord | undefined
  do {
    const page: SlotRecord[] = await withTenancy(house, tenantId, (tenancy) => listOrphans(tenancy, last, most))
    yield* page
    last = page.length === most ? page.at(-1) : undefined
  } while (last !== undefined)
}

async function revokeOrphan(house: House, tenantId: string, orphan: SlotRecord): Promise<void> {
  const { operation_id: operationId, slot, card_id: cardId, request_id: requestId, state } = orphan
  const { found, stage } = await withTenancy(house, tenantId, async (tenancy) => {
    const { db, now } = tenancy
    const certId = await certificateOfSlot(tenancy, orphan)
    return certId === undefined
      ? { stage: requestId === null ? undefined : (await protocolRequestState(db, tenantId, requestId))?.stage }
      : { found: await findCertificate(db, tenantId, { certId }, now) }
  })
  // A request that is open may still become a certificate: it is looked at again.
  if (stage !== undefined && !overStages.includes(stage)) return
  if (found !== undefined && (found.revoked === undefined || found.revoked.reason === 'certificateHold')) {
    const outcome = await revokeByProtocol(house, {
      tenantId,
      certificateId: found.id,
      reason: state === 'former' ? 'superseded' : 'cessationOfOperation',
      by: 'Card desk',
      address: '',
    })
    // Others must agree, or it cannot be done now: it is looked at again.
    if (outcome !== 'revoked' && outcome !== 'alreadyRevoked') return
    await house.work(tenantId, { name: 'Card desk' }, async ({ emitFor }) =>
      emitFor(smartcards)('orphanRevoked', { cardId, certificateId: found.id }, cardId),
    )
  }
  await withTenancy(house, tenantId, (tenancy) => updateSlot(tenancy, operationId, slot, { state: 'ended' }))
}
