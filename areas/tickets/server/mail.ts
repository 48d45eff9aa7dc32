// Letters about tickets. Whoever gets one could read the same on the screen; the text of an internal note is in none.

import { linkTo, queueMail } from '#areas/mail/service.ts'
import { permissionsOf } from '#areas/roles/service.ts'
import { findPerson, findUsername, peopleWhoMay, type Person } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import type { House } from '#core/server/house.ts'
import type { Tenancy } from '#core/server/tenancy.ts'
import { message, type Message } from '#core/server/texts.ts'
import { tickets } from '../contract.ts'
import { mailWords } from '../mail-words.ts'
import { mentionsIn, visibleTo } from '../rules.ts'
import { newReplyAddress } from './mail-in/reply-address.ts'
import type { TicketRecord } from './store.ts'

type Writer = { userId: string; username: string }
type Letter = { kind: 'ticketAnswered' | 'ticketWaiting'; subject: Message; text: Message }

const quoted = 2_000
const quote = (text: string): string => (text.length <= quoted ? text : `${text.slice(0, quoted).toWellFormed()} [...]`)

const subjectOf = ({ ticket_id, title }: TicketRecord): Message => message(mailWords.subject, { id: String(ticket_id), title })

const send = async (tenancy: Tenancy, house: House, ticket: TicketRecord, { id, emailAddress }: Person, letter: Letter): Promise<void> =>
  queueMail(tenancy, {
    to: { userId: id, emailAddress },
    ...letter,
    ...(house.settings.mailInPort === undefined ? {} : { replyTo: await newReplyAddress(tenancy, house, ticket.ticket_id, id) }),
    link: linkTo(house, to(tickets.screens.view, { id: String(ticket.ticket_id) })),
  })

/** Those who handle tickets, where nobody handles this one: at most as many as a letter reaches. */
const handlersOf = async ({ db, tenantId }: Tenancy, ticket: TicketRecord, but: string): Promise<Person[]> => {
  if (ticket.assigned_to === null) return peopleWhoMay(db, tenantId, 'ticketEdit', [but])
  const person = ticket.assigned_to === but ? undefined : await findPerson(db, tenantId, ticket.assigned_to)
  return person === undefined || !person.enabled ? [] : [person]
}

export async function mailRaised(tenancy: Tenancy, house: House, ticket: TicketRecord): Promise<void> {
  const text = message(mailWords.raised, { by: ticket.created_name, text: quote(ticket.description) })
  for (const person of await handlersOf(tenancy, ticket, ticket.created_by))
    await send(tenancy, house, ticket, person, { kind: 'ticketWaiting', subject: subjectOf(ticket), text })
}

export async function mailAssigned(tenancy: Tenancy, house: House, ticket: TicketRecord, person: Person, by: Writer): Promise<void> {
  if (person.id === by.userId) return
  await send(tenancy, house, ticket, person, {
    kind: 'ticketWaiting',
    subject: subjectOf(ticket),
    text: message(mailWords.assigned, { by: by.username }),
  })
}

/** Tells the other side of a message, and whoever is named in it and may read it. */
export async function mailMessage(
  tenancy: Tenancy,
  house: House,
  ticket: TicketRecord,
  by: Writer,
  note: { internal: boolean; content: string },
): Promise<void> {
  const told = new Set([by.userId])
  for (const content of visibleTo({ handles: false }, [note]).map((one) => one.content)) {
    const text = message(mailWords.wrote, { by: by.username, text: quote(content) })
    const { db, tenantId } = tenancy
    if (by.userId !== ticket.created_by) {
      const requester = await findPerson(db, tenantId, ticket.created_by)
      told.add(ticket.created_by)
      if (requester?.enabled === true)
        await send(tenancy, house, ticket, requester, { kind: 'ticketAnswered', subject: subjectOf(ticket), text })
    } else
      for (const person of await handlersOf(tenancy, ticket, by.userId)) {
        told.add(person.id)
        await send(tenancy, house, ticket, person, { kind: 'ticketWaiting', subject: subjectOf(ticket), text })
      }
  }
  for (const person of await mentioned(tenancy, ticket, note))
    if (!told.has(person.id))
      await send(tenancy, house, ticket, person, {
        kind: 'ticketWaiting',
        subject: subjectOf(ticket),
        text: note.internal
          ? message(mailWords.namedInternally, { by: by.username })
          : message(mailWords.named, { by: by.username, text: quote(note.content) }),
      })
}

/** Being named gives no access: who may not read the message hears nothing of it. */
async function mentioned({ db, tenantId }: Tenancy, ticket: TicketRecord, note: { internal: boolean; content: string }): Promise<Person[]> {
  const people: Person[] = []
  for (const name of mentionsIn(note.content)) {
    const account = await findUsername(db, name)
    if (account?.tenantId !== tenantId) continue
    const person = await findPerson(db, tenantId, account.userId)
    if (person === undefined || !person.enabled) continue
    const { api } = await permissionsOf(db, tenantId, person.id)
    const handles = api.includes('ticketEdit')
    const sees = handles || (api.includes('ticketView') && [ticket.created_by, ticket.assigned_to].includes(person.id))
    if (sees && visibleTo({ handles }, [note]).length > 0) people.push(person)
  }
  return people
}
