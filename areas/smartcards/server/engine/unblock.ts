// A new PIN by the PUK that is kept here. The PUK is out of the house then, so the card gets another one at once.

import { withTenancy } from '#core/server/tenancy.ts'
import { resetPin } from '#standards/piv/client.ts'
import { CardFault, type FoundReader } from '../agents/readers.ts'
import type { ActingAtCard } from '../policy.ts'
import { updateCard, type CardRecord } from '../store.ts'
import { currentPuk, openManager, ownPuk, PukUnknown, settlePuk } from './access.ts'
import { atCard, takeFence, type Holding } from './operation.ts'
import { masterKey } from './secrets.ts'

/** Nothing is kept of a card that was not issued here: `noPuk`. */
export class NoPuk extends Error {
  override name = 'NoPuk'
}

export async function unblockCard(acting: ActingAtCard, found: FoundReader, card: CardRecord, pin: string): Promise<void> {
  const { house, viewer } = acting
  if (card.puk_sealed === null) throw new NoPuk()
  const fence = await withTenancy(house, viewer.tenantId, (tenancy) => takeFence(tenancy, card.id))
  if (fence === undefined) throw new CardFault('cardBusy')
  const holding: Holding = { ...acting, found, cardId: card.id, serial: card.serial, fence }
  const master = await masterKey(house, viewer.tenantId)
  await atCard(holding, 'Unblocking the card', async (one) => {
    // The card proves that it is this one before it is told a PUK: a client only names its serial number.
    await openManager(holding, master, one)
    await settlePuk(holding, one)
    if (!(await resetPin(one, { puk: await currentPuk(holding), pin })).ok) throw new PukUnknown()
    await ownPuk(holding, one)
  })
  await withTenancy(house, viewer.tenantId, (tenancy) => updateCard(tenancy, card.id, { pin_left: null }))
}
