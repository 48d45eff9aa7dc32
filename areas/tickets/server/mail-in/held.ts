// Held mail, and what those who handle tickets make of it.

import type { Handlers } from '#core/server/serve.ts'
import type { tickets } from '../../contract.ts'
import { mostMessage } from '../../rules.ts'
import { writeMessage } from '../../service.ts'
import { readerOf } from '../policy.ts'
import { lockTicket } from '../store.ts'
import { lockHeld, pageOfHeld, updateMail } from './mail-store.ts'

export const heldHandlers: Pick<Handlers<typeof tickets>, 'searchHeldMail' | 'releaseHeldMail'> = {
  async searchHeldMail(question, { tenancy }) {
    const { rows, total } = await pageOfHeld(tenancy, question)
    return {
      rows: rows.flatMap(({ id, ticket_id: ticketId, sender, subject, content, reason, received_at }) =>
        reason === '' ? [] : [{ id, ticketId, sender, subject, content, reason, receivedAt: received_at.toISOString() }],
      ),
      total,
    }
  },

  async releaseHeldMail({ id, discard }, { tenancy, viewer, house, emit, fault }) {
    const mail = (await lockHeld(tenancy, id)) ?? fault('missing')
    const ticketId = mail.ticket_id
    await updateMail(tenancy, id, discard ? 'discarded' : 'released')
    emit('mailReleased', { ticketId, mailId: id, discarded: discard }, id)
    if (discard) return { ticketId }
    const ticket = (await lockTicket(tenancy, readerOf(viewer), ticketId)) ?? fault('missing')
    // As many notes as the text needs: nothing of it is cut.
    const text = [...`${mail.sender}:\n\n${mail.content}`]
    for (let from = 0; from < text.length; from += mostMessage) {
      const content = text.slice(from, from + mostMessage).join('')
      // A millisecond apart, because messages stand in the order of their times.
      const later = { ...tenancy, now: new Date(tenancy.now.getTime() + from / mostMessage) }
      await writeMessage({ tenancy: later, house, emit, ...(from > 0 ? { untold: true } : {}) }, viewer, ticket, {
        content,
        internal: true,
      })
    }
    return { ticketId }
  },
}
