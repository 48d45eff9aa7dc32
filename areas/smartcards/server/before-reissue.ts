// What whoever renews a card must know first: which keys go at once, though nobody has agreed to the certificates of the new ones.

import type { Handlers } from '#core/server/serve.ts'
import type { smartcards } from '../contract.ts'
import { usableTemplate } from './issue-calls.ts'
import { keysLostFirst } from './keys-lost.ts'
import { mayHandle } from './policy.ts'
import { findBySerial } from './store.ts'

export const beforeReissueHandlers: Pick<Handlers<typeof smartcards>, 'beforeReissue'> = {
  async beforeReissue({ serial }, { tenancy, viewer, fault }) {
    const card = (await findBySerial(tenancy, serial)) ?? fault('unregistered')
    if (!mayHandle(viewer, card)) return fault('notYours')
    const template = await usableTemplate(tenancy, card.next_template_id ?? card.card_template_id ?? '')
    return { waiting: await keysLostFirst(tenancy, viewer, card, template) }
  },
}
