// What those who handle tickets do beside answering: settings of the desk, merging, splitting, and who else looks at a ticket.

import { randomUUID } from 'node:crypto'
import { findTenancy } from '#areas/tenancy/service.ts'
import type { Handlers } from '#core/server/serve.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import type { tickets } from '../contract.ts'
import { isLongerThan, mostMessage, visibleTo } from '../rules.ts'
import { moveTicket, raiseTicket, writeMessage } from '../service.ts'
import { findSettings, noteClock, saveSettings } from './clock-store.ts'
import { findMessage, insertLink, insertMessage, moveMessages } from './message-store.ts'
import { readerOf } from './policy.ts'
import { listPresent, notePresence } from './presence-store.ts'
import { findTicket, lockTicket, lockTickets, updateTicket, type TicketRecord } from './store.ts'

type Names = 'config' | 'saveConfig' | 'merge' | 'split' | 'presence'

/** Who has not said so again for so long looks no more. */
const presentMilliseconds = 20_000

export const deskHandlers: Pick<Handlers<typeof tickets>, Names> = {
  async config(_input, { tenancy }) {
    const { settings, version } = await findSettings(tenancy)
    const zone = (await findTenancy(tenancy.db, tenancy.tenantId))?.timeZone ?? 'UTC'
    return { ...settings, version, zone }
  },

  async saveConfig({ version, ...settings }, { tenancy, emit, fault }) {
    const next = (await saveSettings(tenancy, settings, version)) ?? fault('conflict')
    emit('settingsChanged', { version: next }, tenancy.tenantId)
    return { version: next }
  },

  async merge({ ticketId, into }, { tenancy, viewer, house, emit, fault }) {
    if (ticketId === into) fault('sameTicket')
    const rows = await lockTickets(tenancy, readerOf(viewer), [ticketId, into])
    const from = rows.find((row) => row.ticket_id === ticketId) ?? fault('missing')
    const target = rows.find((row) => row.ticket_id === into) ?? fault('noTicket')
    if (from.created_by !== target.created_by) fault('otherRequester')
    if (from.status === 'closed' || target.status === 'closed') fault('closed')
    await moveMessages(tenancy, ticketId, into)
    // What the ticket said stands among the messages, at the time when it was raised.
    const said = `${from.title}\n\n${from.description}`
    await insertMessage(tenancy, {
      message_id: randomUUID(),
      ticket_id: into,
      sender_id: from.created_by,
      sender_name: from.created_name,
      internal: false,
      content: isLongerThan(said, mostMessage) ? from.description : said,
      sent_at: from.created_at,
    })
    await linkBoth(tenancy, from, target, viewer.userId)
    const waitsForUs = from.waiting_on === 'us' && target.waiting_on === 'requester'
    await updateTicket(tenancy, into, { updated_at: tenancy.now, ...(waitsForUs ? { waiting_on: 'us' } : {}) })
    if (waitsForUs) await noteClock(tenancy, into, 'resume')
    const writing = { tenancy, house, emit }
    await writeMessage(writing, viewer, from, { content: `This ticket goes on in ticket ${into}.`, internal: false })
    await moveTicket(writing, from, 'closed')
    emit('merged', { ticketId, into }, from.id)
    return { ticketId: into }
  },

  async split({ messageId, title }, { tenancy, viewer, house, emit, fault }) {
    const message = (await findMessage(tenancy, messageId)) ?? fault('missing')
    const ticket = (await lockTicket(tenancy, readerOf(viewer), message.ticket_id)) ?? fault('missing')
    const [open = fault('internalMessage')] = visibleTo({ handles: false }, [message])
    const by = { userId: ticket.created_by, username: ticket.created_name }
    const writing = { tenancy, house, emit, untold: true as const }
    const made = await raiseTicket(writing, by, { title, category: ticket.category, description: open.content, priority: ticket.priority })
    await linkBoth(tenancy, ticket, made, viewer.userId)
    emit('split', { ticketId: made.ticket_id, from: ticket.ticket_id, messageId }, made.id)
    return { ticketId: made.ticket_id }
  },

  async presence({ ticketId, writing }, { tenancy, viewer, fault }) {
    if ((await findTicket(tenancy, readerOf(viewer), ticketId)) === undefined) fault('missing')
    await notePresence(tenancy, { ticket_id: ticketId, user_id: viewer.userId, name: viewer.username, writing })
    const people = await listPresent(tenancy, ticketId, new Date(tenancy.now.getTime() - presentMilliseconds))
    return {
      people: people.filter(({ user_id }) => user_id !== viewer.userId).map(({ name, writing: writes }) => ({ name, writing: writes })),
    }
  },
}

type Linked = Pick<TicketRecord, 'id' | 'ticket_id'>

async function linkBoth(tenancy: Tenancy, one: Linked, other: Linked, addedBy: string): Promise<void> {
  await insertLink(tenancy, { ticket_id: one.ticket_id, kind: 'ticket', record_id: other.id, added_by: addedBy })
  await insertLink(tenancy, { ticket_id: other.ticket_id, kind: 'ticket', record_id: one.id, added_by: addedBy })
}
