// Which keys of a card a reissue would replace although nobody has agreed yet to the certificates of the new ones.

import { approversNeeded } from '#areas/certificates/rules.ts'
import { findTemplate } from '#areas/templates/service.ts'
import type { Viewer } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { CardSlot } from '../rules.ts'
import { findUnfinished, listCurrent, listSlots } from './operation-store.ts'
import type { CardRecord, CardTemplateRecord } from './store.ts'

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
  const lost: CardSlot[] = []
  for (const { slot, templateId } of template?.slots ?? []) {
    if (!inUse.includes(slot) || made.includes(slot)) continue
    const { issueApprovers = 0 } = (await findTemplate(tenancy.db, tenancy.tenantId, templateId, tenancy.now)) ?? {}
    if (approversNeeded(issueApprovers, card.holder_id !== viewer.userId) > 0) lost.push(slot)
  }
  return lost
}
