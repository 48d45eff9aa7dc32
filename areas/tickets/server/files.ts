// Files that are attached to tickets. Whoever sees a ticket sees its files: there are no internal ones.

import { addAttachment, attachmentAnswer, listAttachments, mostAttachmentBytes, readUpload } from '#core/server/attachments/attachments.ts'
import { commonFault, invalidField } from '#core/server/fault.ts'
import type { EndpointHandlers, EndpointRequest } from '#core/server/serve.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { say } from '#standards/say/say.ts'
import { tickets } from '../contract.ts'
import { mayWriteIn, readerOf } from './policy.ts'
import { findTicket, lockTicket, updateTicket } from './store.ts'

const mostFiles = 50

/** Names the attachments of a ticket: by its id, since its number is of one tenancy. */
export const filesOf = (ticket: { id: string }) => ({ kind: 'tickets.ticket', about: ticket.id })

export const presentFiles = async (tenancy: Tenancy, ticket: { id: string }, userId: string) =>
  (await listAttachments(tenancy, filesOf(ticket))).map(({ id, name, size, added_by, added_at }) => ({
    id,
    name,
    size,
    addedBy: added_by ?? '',
    addedAt: added_at.toISOString(),
    own: added_by === userId,
  }))

const numberIn = ({ url }: EndpointRequest): number => {
  const text = url.searchParams.get('ticketId') ?? ''
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalidField('ticketId', say`Give the number of a ticket`)
  return Number(text)
}

export const fileEndpoints: EndpointHandlers<typeof tickets> = {
  attach: {
    bodyLimit: mostAttachmentBytes,
    async handle(request) {
      const { viewer, house, facts } = request
      if (viewer === undefined) throw commonFault('not_logged_in')
      const ticketId = numberIn(request)
      const upload = await readUpload(request)
      const actor = { userId: viewer.userId, name: viewer.username, address: facts.address }
      const added = await house.work(viewer.tenantId, actor, async ({ tenancy, emitFor }) => {
        const ticket = await lockTicket(tenancy, readerOf(viewer), ticketId)
        if (ticket === undefined) throw commonFault('missing')
        if (!mayWriteIn(viewer, ticket, tenancy.now)) throw invalidField('ticketId', say`The ticket is closed`)
        if ((await listAttachments(tenancy, filesOf(ticket))).length >= mostFiles)
          throw invalidField('file', say`A ticket has at most 50 files`)
        const row = await addAttachment(tenancy, { ...filesOf(ticket), addedBy: viewer.userId, ...upload })
        await updateTicket(tenancy, ticketId, { updated_at: tenancy.now })
        emitFor(tickets)('attached', { ticketId, attachmentId: row.id, size: row.size }, ticket.id)
        return { id: row.id, name: row.name }
      })
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(added) }
    },
  },
  file: {
    async handle(request) {
      const { viewer, house, url } = request
      if (viewer === undefined) throw commonFault('not_logged_in')
      const ticketId = numberIn(request)
      const ticket = await withTenancy(house, viewer.tenantId, (tenancy) => findTicket(tenancy, readerOf(viewer), ticketId))
      if (ticket === undefined) throw commonFault('missing')
      return attachmentAnswer(house, viewer.tenantId, { ...filesOf(ticket), id: url.searchParams.get('id') ?? '' })
    },
  },
}
