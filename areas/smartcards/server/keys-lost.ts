// Which keys of a card a reissue would replace although nobody has agreed yet to the certificates of the new ones.

import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardSlot } from '../rules.ts'
import { findUnfinished, listCurrent, listSlots } from './operation-store.ts'
import type { CardRecord, CardTemplateRecord } from './store.ts'
import { approvalsFirst } from './waiting-calls.ts'

/** The slots of a card whose working keys a reissue by somebody would replace before its certificates are agreed to. */
export async function keysLostFirst(
  tenancy: Tenancy,
  viewer: Viewer,
  card: CardRecord,
  template: CardTemplateRecord | undefined,
): Promise<CardSlot[]> {
  const inUse = (await listCurrent(tenancy, [card.id])).map(({ slot }) => slot)
  // What an earlier try has replaced is gone already.
  const unfinished = await findUnfinished(tenancy, card.id)
  const made = unfinished?.kind === 'reissue' ? (await listSlots(tenancy, unfinished.id)).map(({ slot }) => slot) : []
  const slots = (template?.slots ?? []).filter(({ slot }) => inUse.includes(slot) && !made.includes(slot))
  return (await approvalsFirst(tenancy, viewer, { slots, userId: card.holder_id })).map(({ slot }) => slot)
}
