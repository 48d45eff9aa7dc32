// A mail that answers a letter about a ticket becomes a message of who got that letter. Whatever is not plainly theirs is held for a person.

import { createHash, randomUUID } from 'node:crypto'
import { permissionsOf } from '#areas/roles/service.ts'
import { findPerson } from '#areas/users/service.ts'
import { addAttachment } from '#core/server/attachments/attachments.ts'
import { Fault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { tickets } from '../../contract.ts'
import { isLongerThan, mostMailsInAnHour, mostMessage, replyDays, type HeldReason } from '../../rules.ts'
import { writeMessage, type Writer } from '../../service.ts'
import { filesOf } from '../files.ts'
import { mayWriteIn, readerOf } from '../policy.ts'
import { lockTicket } from '../store.ts'
import { countFrom, findToken, insertMail } from './mail-store.ts'
import type { ReadMail } from './read-mail.ts'
import type { ReplyToken } from './reply-address.ts'

/** `again`: the mail server tries later. `tooLong`, `tooMany` and `files`: refused, so that the sender's mail server tells the sender what was not taken. */
export type Outcome = 'taken' | 'held' | 'ignored' | 'refused' | 'again' | 'tooLong' | 'tooMany' | 'files'

const hour = 3_600_000
const day = 24 * hour
const mostHeldText = 20_000
const mostFiles = 20

export const isOpenToken = (house: House, { tenantId, hash }: ReplyToken): Promise<boolean> =>
  withTenancy(house, tenantId, async (tenancy) => (await tokenOf(tenancy, hash)) !== undefined)

const tokenOf = (tenancy: Tenancy, hash: Buffer) => findToken(tenancy, hash, new Date(tenancy.now.getTime() - replyDays * day))

export async function takeMail(house: House, token: ReplyToken, mail: ReadMail): Promise<Outcome> {
  if (mail.automatic) return 'ignored'
  if (mail.content === '' && mail.files.length === 0) return 'refused'
  if (isLongerThan(mail.content, mostHeldText)) return 'tooLong'
  if (mail.files.length > mostFiles) return 'tooMany'
  return house.work(token.tenantId, { name: mail.sender === '' ? 'Mail' : mail.sender }, async ({ tenancy, emitFor }) => {
    const of = await tokenOf(tenancy, token.hash)
    if (of === undefined) return 'refused'
    if ((await countFrom(tenancy, mail.sender, new Date(tenancy.now.getTime() - hour))) >= mostMailsInAnHour) return 'again'
    const { db, tenantId } = tenancy
    const person = await findPerson(db, tenantId, of.user_id)
    const asker = { userId: of.user_id, permission: await permissionsOf(db, tenantId, of.user_id) }
    const ticket = person === undefined ? undefined : await lockTicket(tenancy, readerOf(asker), of.ticket_id)
    const reason = ((): HeldReason | undefined => {
      if (!mail.authentic) return 'authentication'
      if (person === undefined || mail.sender !== person.emailAddress.toLowerCase()) return 'sender'
      if (!person.enabled || !asker.permission.api.includes('ticketView')) return 'disabled'
      if (ticket === undefined || !mayWriteIn(asker, ticket, tenancy.now)) return 'closed'
      return isLongerThan(mail.content, mostMessage) ? 'tooLong' : undefined
    })()
    const id = randomUUID()
    const row = {
      id,
      mail_key: createHash('sha256')
        .update(token.hash)
        .update(mail.messageId === '' ? mail.content : mail.messageId)
        .digest(),
      ticket_id: of.ticket_id,
      sender: mail.sender.slice(0, 320),
      subject: mail.subject,
    }
    const emit = emitFor(tickets)
    if (reason !== undefined || ticket === undefined || person === undefined) {
      const why = reason ?? 'sender'
      // Held mail is kept without files: what would be lost is refused.
      if (mail.files.length > 0) return 'files'
      if (!(await insertMail(tenancy, { ...row, content: mail.content, state: 'held', reason: why }))) return 'ignored'
      emit('mailHeld', { ticketId: of.ticket_id, mailId: id, reason: why }, id)
      return 'held'
    }
    if (!(await insertMail(tenancy, { ...row, content: '', state: 'taken', reason: '' }))) return 'ignored'
    const by: Writer = { userId: person.id, username: person.username }
    const missed = await attach(tenancy, { ticket, by, files: mail.files }, (attachmentId, size) =>
      emit('attached', { ticketId: ticket.ticket_id, attachmentId, size }, ticket.id),
    )
    const note = missed.length === 0 ? '' : `\n\n[Files that were not taken: ${missed.join(', ')}]`
    const content = `${mail.content}${note}`.trim()
    await writeMessage({ tenancy, house, emit }, by, ticket, { content: content === '' ? '-' : content, internal: false, byMail: true })
    return 'taken'
  })
}

type Files = { ticket: { id: string; ticket_id: number }; by: Writer; files: ReadMail['files'] }

/** Answers the names of those that are not taken. */
async function attach(tenancy: Tenancy, { ticket, by, files }: Files, attached: (id: string, size: number) => void): Promise<string[]> {
  const missed: string[] = []
  for (const file of files)
    try {
      const { id, size } = await addAttachment(tenancy, { ...filesOf(ticket), addedBy: by.userId, ...file })
      attached(id, size)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      missed.push(file.name.slice(0, 80))
    }
  return missed
}
