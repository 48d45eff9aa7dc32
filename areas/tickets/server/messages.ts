// Reading and writing messages. What is internal is left out by `visibleTo` before anything else looks at it.

import type { CallContext, Handlers } from '#core/server/serve.ts'
import { say } from '#standards/say/say.ts'
import type { tickets } from '../contract.ts'
import { mostMessagesInAnHour, visibleTo } from '../rules.ts'
import { writeMessage } from '../service.ts'
import { findRecord, mostLinks } from './links.ts'
import {
  countWrittenSince,
  deleteMessage,
  findMessage,
  insertLink,
  listMessages,
  updateMessage,
  deleteLink,
  listLinks,
} from './message-store.ts'
import { handlesTickets, mayWriteIn, readerOf } from './policy.ts'
import { presentMessage } from './presenter.ts'
import { findTicket, lockTicket, updateTicket, type TicketRecord } from './store.ts'

type Room = typeof tickets
type Names = 'messages' | 'addMessage' | 'changeMessage' | 'removeMessage' | 'link' | 'unlink'

const hour = 3_600_000

const numberOf = (ticketId: number | { ticketId: number }): number => (typeof ticketId === 'number' ? ticketId : ticketId.ticketId)

export const messageHandlers: Pick<Handlers<Room>, Names> = {
  async messages({ ticketId }, { tenancy, viewer, fault }) {
    const reader = readerOf(viewer)
    const ticket = (await findTicket(tenancy, reader, ticketId)) ?? fault('missing')
    const rows = visibleTo(reader, await listMessages(tenancy, ticket.ticket_id))
    return { ticketMessages: rows.map((row) => presentMessage(row, viewer.userId)) }
  },

  async addMessage({ ticketId, messageContent, internalIndicator }, { tenancy, viewer, house, emit, fault }) {
    if (internalIndicator && !handlesTickets(viewer)) fault('internalDenied')
    const ticket = (await lockTicket(tenancy, readerOf(viewer), numberOf(ticketId))) ?? fault('missing')
    if (!mayWriteIn(viewer, ticket, tenancy.now)) fault('closed')
    const since = new Date(tenancy.now.getTime() - hour)
    if (!handlesTickets(viewer) && (await countWrittenSince(tenancy, viewer.userId, since)) >= mostMessagesInAnHour)
      fault('too_many_requests')
    const messageId = await writeMessage({ tenancy, house, emit }, viewer, ticket, { content: messageContent, internal: internalIndicator })
    return { messageId }
  },

  async changeMessage({ messageId, ticketId, messageContent, internalIndicator }, context) {
    const { tenancy, emit, fault } = context
    const { message, ticket } = await ownMessage(context, messageId)
    if (ticket.ticket_id !== numberOf(ticketId)) fault('wrongTicket')
    // A note that was internal stays so, and a message that was sent cannot be taken back.
    if (internalIndicator !== undefined && internalIndicator !== message.internal)
      fault('invalid', {
        fields: [{ field: 'internalIndicator', says: say`This cannot be changed. Delete the message and write it anew` }],
      })
    if (message.content === messageContent) return {}
    await updateMessage(tenancy, messageId, messageContent)
    if (!message.internal) await updateTicket(tenancy, ticket.ticket_id, { updated_at: tenancy.now })
    emit('messageChanged', { ticketId: ticket.ticket_id, messageId, internal: message.internal }, ticket.id)
    return {}
  },

  async removeMessage({ messageId }, context) {
    const { tenancy, emit } = context
    const { message, ticket } = await ownMessage(context, messageId)
    await deleteMessage(tenancy, messageId)
    if (!message.internal) await updateTicket(tenancy, ticket.ticket_id, { updated_at: tenancy.now })
    emit('messageRemoved', { ticketId: ticket.ticket_id, messageId, internal: message.internal }, ticket.id)
    return {}
  },

  async link({ ticketId, kind, id }, { tenancy, viewer, house, emit, fault }) {
    const ticket = (await lockTicket(tenancy, readerOf(viewer), ticketId)) ?? fault('missing')
    if ((await findRecord(tenancy, house, viewer, { kind, id })) === undefined) fault('noRecord')
    if ((await listLinks(tenancy, ticketId)).length >= mostLinks) fault('tooMany')
    if (await insertLink(tenancy, { ticket_id: ticketId, kind, record_id: id, added_by: viewer.userId }))
      emit('linked', { ticketId, kind, recordId: id }, ticket.id)
    return {}
  },

  async unlink({ ticketId, kind, id }, { tenancy, viewer, emit, fault }) {
    const ticket = (await lockTicket(tenancy, readerOf(viewer), ticketId)) ?? fault('missing')
    if (!(await deleteLink(tenancy, ticketId, { kind, record_id: id }))) fault('missing')
    emit('unlinked', { ticketId, kind, recordId: id }, ticket.id)
    return {}
  },
}

/** The caller's own message in a ticket that is not closed. What the caller may not even see is missing. */
async function ownMessage(
  { tenancy, viewer, fault }: CallContext<Room, 'changeMessage'> | CallContext<Room, 'removeMessage'>,
  messageId: string,
): Promise<{ message: NonNullable<Awaited<ReturnType<typeof findMessage>>>; ticket: TicketRecord }> {
  const reader = readerOf(viewer)
  const found = await findMessage(tenancy, messageId)
  const [message = fault('missing')] = visibleTo(reader, found === undefined ? [] : [found])
  const ticket = (await lockTicket(tenancy, reader, message.ticket_id)) ?? fault('missing')
  if (message.sender_id !== viewer.userId) fault('notYours')
  if (ticket.status === 'closed') fault('closed')
  return { message, ticket }
}
