// What whoever renews a card must know first: which keys go at once, though nobody has agreed to the certificates of the new ones.

import { approversNeeded } from '#areas/certificates/rules.ts'
import { findTemplate } from '#areas/templates/service.ts'
import type { Handlers } from '#core/server/serve.ts'
import type { smartcards } from '../contract.ts'
import type { CardSlot } from '../rules.ts'
import { usableTemplate } from './issue-calls.ts'
import { findUnfinished, listCurrent, listSlots } from './operation-store.ts'
import { mayHandle } from './policy.ts'
import { findBySerial } from './store.ts'

export const beforeReissueHandlers: Pick<Handlers<typeof smartcards>, 'beforeReissue'> = {
  async beforeReissue({ serial }, { tenancy, viewer, fault }) {
    const card = (await findBySerial(tenancy, serial)) ?? fault('unregistered')
    if (!mayHandle(viewer, card)) return fault('notYours')
    const template = await usableTemplate(tenancy, card.next_template_id ?? card.card_template_id ?? '')
    const inUse = (await listCurrent(tenancy, [card.id])).map(({ slot }) => slot)
    // What an earlier try has replaced is gone already.
    const unfinished = await findUnfinished(tenancy, card.id)
    const made = unfinished?.kind === 'reissue' ? (await listSlots(tenancy, unfinished.id)).map(({ slot }) => slot) : []
    const waiting: CardSlot[] = []
    for (const { slot, templateId } of template?.slots ?? []) {
      if (!inUse.includes(slot) || made.includes(slot)) continue
      const { issueApprovers = 0 } = (await findTemplate(tenancy.db, tenancy.tenantId, templateId, tenancy.now)) ?? {}
      if (approversNeeded(issueApprovers, card.holder_id !== viewer.userId) > 0) waiting.push(slot)
    }
    return { waiting }
  },
}
