// What of the rows leaves the server.

import { wireStatus } from '../rules.ts'
import type { MessageRecord } from './message-store.ts'
import type { TicketRecord } from './store.ts'

export const presentTicket = (row: TicketRecord) => ({
  ticketId: row.ticket_id,
  title: row.title,
  category: row.category,
  description: row.description,
  ticketStatus: wireStatus(row.status),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  assignedTo: row.assigned_to ?? '',
  assignedName: row.assigned_name ?? '',
  priority: row.priority,
  createdBy: row.created_by,
  userId: row.created_by,
  tenantId: row.tenant_id,
  username: row.created_name,
  waitingOn: row.waiting_on,
  ...(row.response_due === null ? {} : { responseDue: row.response_due.toISOString() }),
  ...(row.resolution_due === null ? {} : { resolutionDue: row.resolution_due.toISOString() }),
})

export const presentMessage = (row: MessageRecord, userId: string) => ({
  messageId: row.message_id,
  ticketId: row.ticket_id,
  messageContent: row.content,
  sender: row.sender_name,
  senderId: row.sender_id,
  internalIndicator: row.internal,
  sentAt: row.sent_at.toISOString(),
  ...(row.edited_at === null ? {} : { editedAt: row.edited_at.toISOString() }),
  own: row.sender_id === userId,
  ...(row.by_mail ? { byMail: true } : {}),
})
