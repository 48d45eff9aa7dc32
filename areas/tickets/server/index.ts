import { setTimeout as wait } from 'node:timers/promises'
import { permissionsOf } from '#areas/roles/service.ts'
import { users } from '#areas/users/contract.ts'
import { findPeople, findPerson, fullName, peopleWhoMay, searchPeople } from '#areas/users/service.ts'
import { to } from '#core/contract/paths.ts'
import { countedUpTo } from '#core/contract/shapes.ts'
import { offer } from '#core/contract/slots.ts'
import { removeAttachments } from '#core/server/attachments/attachments.ts'
import { commonFault } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { on, serve, type Viewer } from '#core/server/serve.ts'
import { workSources, workWaiting } from '#core/server/slots.ts'
import { withTenancy, type Tenancy } from '#core/server/tenancy.ts'
import { tickets } from '../contract.ts'
import { countedAs, keptMailDays, mostInAnHour, movesFrom, numberIn, replyDays, statusLook, visibleTo, type Status } from '../rules.ts'
import { closing, moveTicket, noteMove, raiseTicket } from '../service.ts'
import { noteClock } from './clock-store.ts'
import { readGroups } from './conditions.ts'
import { deskHandlers } from './desk.ts'
import { fileEndpoints, filesOf, presentFiles } from './files.ts'
import { findRecord, presentLinks } from './links.ts'
import { heldHandlers } from './mail-in/held.ts'
import { closeMailDoor, openMailDoor } from './mail-in/lmtp.ts'
import { countHeld } from './mail-in/mail-store.ts'
import { deleteOld } from './mail-in/mail-store.ts'
import { mailAssigned } from './mail.ts'
import { insertLink, listSigns } from './message-store.ts'
import { messageHandlers } from './messages.ts'
import { handlesTickets, mayWriteIn, readerOf } from './policy.ts'
import { deletePresence } from './presence-store.ts'
import { presentTicket } from './presenter.ts'
import {
  countByStatus,
  countRaisedSince,
  findByIds,
  findPart,
  findRequesters,
  findTicket,
  indexTicket,
  lockTicket,
  lockTickets,
  measure,
  releaseAssigned,
  updateTicket,
  type TicketRecord,
} from './store.ts'
import { ticketsWaiting } from './work.ts'

const hour = 3_600_000
const day = 24 * hour

export default serve(
  tickets,
  {
    ...messageHandlers,
    ...heldHandlers,
    ...deskHandlers,

    async read({ ticketId }, { tenancy, viewer, house, now, fault }) {
      const ticket = (await findTicket(tenancy, readerOf(viewer), ticketId)) ?? fault('missing')
      return {
        ...presentTicket(ticket),
        version: ticket.version,
        ...(ticket.closed_at === null ? {} : { closedAt: ticket.closed_at.toISOString() }),
        moves: handlesTickets(viewer) ? [...movesFrom(ticket.status)] : [],
        mayWrite: mayWriteIn(viewer, ticket, now),
        attachments: await presentFiles(tenancy, ticket, viewer.userId),
        links: await presentLinks(tenancy, house, viewer, ticketId),
      }
    },

    async add({ links, ...draft }, { tenancy, viewer, house, emit, now, fault }) {
      if (draft.priority !== undefined && !handlesTickets(viewer)) fault('priorityDenied')
      const { ticket_id: ticketId, id } = await raiseTicket({ tenancy, house, emit }, viewer, draft)
      // Counted while the number of the tenancy is held, so that those who raise at once are all counted. A refusal takes the ticket back.
      if ((await countRaisedSince(tenancy, viewer.userId, new Date(now.getTime() - hour))) > mostInAnHour) fault('too_many_requests')
      for (const link of links) {
        if ((await findRecord(tenancy, house, viewer, link)) === undefined) fault('noRecord')
        if (await insertLink(tenancy, { ticket_id: ticketId, kind: link.kind, record_id: link.id, added_by: viewer.userId }))
          emit('linked', { ticketId, kind: link.kind, recordId: link.id }, id)
      }
      return { ticketId }
    },

    async change({ ticketId, ticketStatus, version, ...draft }, { tenancy, viewer, emit, fault }) {
      const ticket = (await lockTicket(tenancy, readerOf(viewer), ticketId)) ?? fault('missing')
      const status = ticketStatus ?? ticket.status
      const priority = draft.priority ?? ticket.priority
      const next = { title: draft.title, category: draft.category, description: draft.description, priority }
      const fields = (['title', 'category', 'description', 'priority'] as const).filter((field) => next[field] !== ticket[field])
      const moves = status !== ticket.status
      if (fields.length === 0 && !moves) return { changed: false }
      if (version !== undefined && version !== ticket.version) fault('conflict')
      if (moves && !movesFrom(ticket.status).includes(status)) fault('wrongMove', { params: moveWords(ticket.status) })
      await updateTicket(tenancy, ticketId, {
        ...next,
        ...(moves ? { status, ...closing(status, tenancy.now) } : {}),
        updated_at: tenancy.now,
      })
      if (moves) await noteMove(tenancy, ticket, status)
      if (fields.includes('priority')) await noteClock(tenancy, ticketId, 'policy', priority)
      if (fields.some((field) => field === 'title' || field === 'description')) await indexTicket(tenancy, { ...ticket, ...next })
      if (fields.length > 0) emit('changed', { ticketId, fields }, ticket.id)
      if (moves) emit('moved', { ticketId, from: ticket.status, to: status }, ticket.id)
      return { changed: true }
    },

    async closeMany({ ticketIds }, { tenancy, viewer, house, emit }) {
      const wanted = new Set(ticketIds)
      const rows = await lockTickets(tenancy, readerOf(viewer), [...wanted])
      const open = rows.filter(({ status }) => status !== 'closed')
      for (const ticket of open) await moveTicket({ tenancy, house, emit }, ticket, 'closed')
      return { closed: open.length, unchanged: rows.length - open.length, missing: wanted.size - rows.length }
    },

    async assign({ ticketId, userId }, { tenancy, db, viewer, house, emit, fault }) {
      const ticket = (await lockTicket(tenancy, readerOf(viewer), ticketId)) ?? fault('missing')
      if (userId === (ticket.assigned_to ?? '')) return {}
      if (userId === '') {
        await updateTicket(tenancy, ticketId, { assigned_to: null, assigned_name: null, updated_at: tenancy.now })
        emit('unassigned', { ticketId, userId: ticket.assigned_to ?? '' }, ticket.id)
        return {}
      }
      const person = await findPerson(db, viewer.tenantId, userId)
      const api: readonly string[] = person?.enabled === true ? (await permissionsOf(db, viewer.tenantId, userId)).api : []
      if (person === undefined || !api.includes('ticketEdit')) return fault('cannotHandle')
      await updateTicket(tenancy, ticketId, { assigned_to: userId, assigned_name: person.username, updated_at: tenancy.now })
      emit('assigned', { ticketId, userId }, ticket.id)
      await mailAssigned(tenancy, house, ticket, person, viewer)
      return {}
    },

    async searchSupportTickets({ search_groups, skip, take, sort_field, sort_direction }, { tenancy, viewer }) {
      const part = { sort: sort_field, direction: sort_direction, skip, take }
      const { rows, total } = await findPart(tenancy, readerOf(viewer), { any: readGroups(search_groups) }, part)
      return { totalResults: total, results: rows.map(presentTicket) }
    },

    async search({ page, size, sort = 'updatedAt', direction, ...question }, { tenancy, viewer }) {
      const part = { sort, direction, skip: (page - 1) * size, take: size }
      const { rows, total, more } = await findPart(tenancy, readerOf(viewer), question, part)
      return { rows: rows.map(presentTicket), total, more }
    },

    async metrics({ days }, { tenancy, viewer, now }) {
      const reader = readerOf(viewer)
      const from = new Date(now.getTime() - days * day)
      const counts = await countByStatus(tenancy, reader)
      const these = await measure(tenancy, reader, from, now)
      const before = await measure(tenancy, reader, new Date(from.getTime() - days * day), from)
      const count = (of: readonly Status[]) => of.reduce((sum, status) => sum + (counts[status] ?? 0), 0)
      const rate = ({ opened, answered }: { opened: number; answered: number }) => (opened === 0 ? undefined : answered / opened)
      return {
        ticketCounts: { open: count(countedAs.open), inProgress: count(countedAs.inProgress), closed: count(countedAs.closed) },
        timeMetrics: {
          avgFirstResponseTime: these.firstResponse ?? null,
          responseRate: rate(these) ?? null,
          avgResolutionTime: these.resolution ?? null,
        },
        trends: {
          responseRateChange: difference(rate(these), rate(before)),
          resolutionTimeChange: difference(these.resolution, before.resolution),
        },
        period: { from: from.toISOString(), to: now.toISOString(), days },
      }
    },

    async handlers(_input, { db, viewer }) {
      const people = await peopleWhoMay(db, viewer.tenantId, 'ticketEdit')
      return { people: people.map((person) => ({ id: person.id, name: fullName(person), username: person.username })) }
    },

    async requesters({ text, id }, { db, tenancy, viewer }) {
      const named = id === undefined ? [] : await findPeople(db, viewer.tenantId, [id])
      const found = await searchPeople(db, viewer.tenantId, text, 200)
      const people = [...named, ...found.filter((person) => person.id !== id)]
      const raised = await findRequesters(
        tenancy,
        people.map((person) => person.id),
      )
      return {
        people: people
          .filter((person) => raised.has(person.id))
          .slice(0, 50)
          .map((person) => ({ id: person.id, name: fullName(person), username: person.username })),
      }
    },

    async removeFile({ ticketId, id }, { tenancy, viewer, emit, fault }) {
      const ticket = (await lockTicket(tenancy, readerOf(viewer), ticketId)) ?? fault('missing')
      const file = (await presentFiles(tenancy, ticket, viewer.userId)).find((one) => one.id === id) ?? fault('missing')
      if (!file.own && !handlesTickets(viewer)) fault('denied')
      await removeAttachments(tenancy, { ...filesOf(ticket), id })
      await updateTicket(tenancy, ticketId, { updated_at: tenancy.now })
      emit('fileRemoved', { ticketId, attachmentId: id }, ticket.id)
      return {}
    },
  },
  {
    endpoints: fileEndpoints,
    offers: [
      offer(workSources, ticketsWaiting),
      offer(workWaiting, {
        needs: tickets.screens.held.needs,
        count: async (db, { tenantId }) => ({ heldMail: await countHeld({ db, tenantId }, countedUpTo) }),
      }),
    ],

    jobs: {
      forget: {
        inTenancy: ({ house, tenantId }) =>
          withTenancy(house, tenantId, async (tenancy) => {
            const before = (days: number) => new Date(tenancy.now.getTime() - days * day)
            await deletePresence(tenancy, before(1))
            return deleteOld(tenancy, { tokens: before(replyDays), mails: before(keptMailDays) })
          }),
      },
    },

    async start(house) {
      const { mailInPort } = house.settings
      if (mailInPort === undefined) return
      // One process of several has the port; a mail server that knocks reaches that one.
      await openMailDoor(house, mailInPort).catch((error: unknown) =>
        house.log.warn({ error }, `the port ${mailInPort} for answers by mail is taken`),
      )
    },
    stop: closeMailDoor,

    streams: {
      /** Tells of what the viewer may see: an internal note wakes only those who handle tickets. */
      async *follow({ ticketId }, { viewer, house, signal }) {
        if (viewer === undefined) throw commonFault('not_logged_in')
        let version = house.cache.version()
        let sign = await signOf(house, viewer, ticketId)
        while (!signal.aborted) {
          await wait(followMilliseconds, undefined, { signal }).catch(() => {})
          if (signal.aborted || house.cache.isCurrent(version)) continue
          version = house.cache.version()
          const next = await signOf(house, viewer, ticketId)
          if (next !== sign) yield { ticketId, at: house.now().toISOString() }
          sign = next
        }
      },
    },

    subscriptions: [
      on(users.events.disabled, ({ tenantId, body: { userId } }, house) =>
        house.work(tenantId, { name: 'Tickets' }, async ({ tenancy, emitFor }) => {
          for (const { id, ticket_id: ticketId } of await releaseAssigned(tenancy, userId))
            emitFor(tickets)('unassigned', { ticketId, userId }, id)
        }),
      ),
    ],

    records: {
      ticket: {
        names: async (tenancy, ids) =>
          (await findByIds(tenancy, ids)).map((row) => ({
            id: row.id,
            name: `Ticket ${row.ticket_id}`,
            detail: row.title,
            path: pathOf(row),
          })),
        seek: async (tenancy, typed) => (await found(tenancy, typed)).map(({ id }) => id),
        search: async (tenancy, typed) =>
          (await found(tenancy, typed)).map((row) => ({
            id: row.id,
            label: `Ticket ${row.ticket_id}: ${row.title}`,
            detail: statusLook[row.status].label,
            path: pathOf(row),
          })),
      },
    },
  },
)

const followMilliseconds = 500

const pathOf = ({ ticket_id }: TicketRecord): string => to(tickets.screens.view, { id: String(ticket_id) })

/** Only those who handle tickets find them as records. A number finds the one that has it. */
async function found(tenancy: Tenancy, { text, most }: { text: string; most: number }): Promise<TicketRecord[]> {
  const everything = { userId: '', handles: true }
  const ticketId = numberIn(text)
  const ticket = ticketId === undefined ? undefined : await findTicket(tenancy, everything, ticketId)
  if (ticket !== undefined) return [ticket]
  const part = { sort: 'updatedAt', direction: 'desc', skip: 0, take: most } as const
  return (await findPart(tenancy, everything, { text }, part)).rows
}

/** Another text after each change that the viewer may see. */
const signOf = (house: House, viewer: Viewer, ticketId: number): Promise<string> =>
  withTenancy(house, viewer.tenantId, async (tenancy) => {
    const reader = readerOf(viewer)
    const ticket = await findTicket(tenancy, reader, ticketId)
    if (ticket === undefined) throw commonFault('missing')
    const messages = visibleTo(reader, await listSigns(tenancy, ticketId))
    return [
      ticket.updated_at.toISOString(),
      ...messages.map(({ message_id, edited_at }) => `${message_id} ${edited_at?.toISOString()}`),
    ].join()
  })

const moveWords = (from: Status): Record<string, string> => ({
  from: statusLook[from].label,
  allowed: movesFrom(from)
    .map((status) => statusLook[status].label)
    .join(', '),
})

const difference = (now: number | undefined, before: number | undefined): number | null =>
  now === undefined || before === undefined ? null : now - before
