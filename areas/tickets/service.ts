// What other rooms may ask of the tickets: raising one, and writing in it.

import { randomUUID } from 'node:crypto'
import type { House } from '#core/server/house.ts'
import type { Emit } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { tickets } from './contract.ts'
import type { Category, Priority, Status } from './rules.ts'
import { noteClock } from './server/clock-store.ts'
import { mailMessage, mailRaised } from './server/mail.ts'
import { insertMessage } from './server/message-store.ts'
import { insertTicket, nextNumber, updateTicket, type TicketChange, type TicketRecord } from './server/store.ts'

/** `untold`: nobody hears of it by mail, because it is told of the past. */
export type Writing = { tenancy: Tenancy; house: House; emit: Emit<typeof tickets>; untold?: true }
export type Writer = { userId: string; username: string }
export type TicketText = { title: string; category: Category; description: string; priority?: Priority | undefined }

export async function raiseTicket({ tenancy, house, emit, untold }: Writing, by: Writer, draft: TicketText): Promise<TicketRecord> {
  const row = {
    ticket_id: await nextNumber(tenancy),
    id: randomUUID(),
    title: draft.title,
    category: draft.category,
    description: draft.description,
    status: 'open' as const,
    priority: draft.priority ?? 'Normal',
    created_by: by.userId,
    created_name: by.username,
    assigned_to: null,
    assigned_name: null,
    waiting_on: 'us' as const,
    created_at: tenancy.now,
    updated_at: tenancy.now,
    first_response_at: null,
    closed_at: null,
  }
  await insertTicket(tenancy, row)
  await noteClock(tenancy, row.ticket_id, 'start', row.priority)
  emit('added', { ticketId: row.ticket_id, category: row.category }, row.id)
  const ticket = { tenant_id: tenancy.tenantId, version: 1, response_due: null, resolution_due: null, ...row }
  if (untold !== true) await mailRaised(tenancy, house, ticket)
  return ticket
}

/** What a ticket becomes with a status, and the event of it. */
export async function moveTicket({ tenancy, emit }: Writing, ticket: TicketRecord, status: Status): Promise<void> {
  await updateTicket(tenancy, ticket.ticket_id, { ...closing(status, tenancy.now), status, updated_at: tenancy.now })
  await noteMove(tenancy, ticket, status)
  emit('moved', { ticketId: ticket.ticket_id, from: ticket.status, to: status }, ticket.id)
}

/** A closed ticket has no due time; one that is opened again waits for those who handle it. */
export async function noteMove(tenancy: Tenancy, { ticket_id }: Pick<TicketRecord, 'ticket_id'>, status: Status): Promise<void> {
  if (status === 'closed') await noteClock(tenancy, ticket_id, 'stop')
  else if (status === 'reopened') await noteClock(tenancy, ticket_id, 'resume')
}

export const closing = (status: Status, now: Date): TicketChange => ({ closed_at: status === 'closed' ? now : null })

/**
 * Writes a message in a ticket that was locked. A public one says whose turn it is; a reply of the requester opens a closed ticket again. An internal note
 * changes nothing that the requester sees, not even the time of the last change.
 */
export async function writeMessage(
  writing: Writing,
  by: Writer,
  ticket: TicketRecord,
  message: { content: string; internal: boolean; byMail?: true },
): Promise<string> {
  const { tenancy, house, emit } = writing
  const messageId = randomUUID()
  await insertMessage(tenancy, {
    message_id: messageId,
    ticket_id: ticket.ticket_id,
    sender_id: by.userId,
    sender_name: by.username,
    internal: message.internal,
    content: message.content,
    by_mail: message.byMail === true,
    sent_at: tenancy.now,
  })
  emit('messageAdded', { ticketId: ticket.ticket_id, messageId, internal: message.internal }, ticket.id)
  const own = by.userId === ticket.created_by
  if (!message.internal) {
    if (own && ticket.status === 'closed') await moveTicket(writing, ticket, 'reopened')
    await updateTicket(tenancy, ticket.ticket_id, {
      updated_at: tenancy.now,
      waiting_on: own ? 'us' : 'requester',
      ...(own || ticket.first_response_at !== null ? {} : { first_response_at: tenancy.now }),
    })
    await noteClock(tenancy, ticket.ticket_id, own ? 'resume' : 'pause')
  }
  if (writing.untold !== true) await mailMessage(tenancy, house, ticket, by, message)
  return messageId
}
