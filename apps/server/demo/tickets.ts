// The demonstration's tickets: what people of each tenancy ask, and how far the desk has come with it.

import { tickets } from '#areas/tickets/contract.ts'
import type { Category, Priority, Status } from '#areas/tickets/rules.ts'
import { updateTicket } from '#areas/tickets/server/store.ts'
import { moveTicket, raiseTicket, writeMessage } from '#areas/tickets/service.ts'
import type { House } from '#core/server/house.ts'
import type { Chance } from './chance.ts'
import type { FoundTenancy, Member } from './found.ts'
import { houseAt } from './then.ts'

const hour = 3_600_000
const day = 24 * hour

type Line = { by: 'requester' | 'desk'; text: string; internal?: true }
type Story = { title: string; category: Category; priority: Priority; description: string; lines: Line[]; ends: Status }

const stories: readonly Story[] = [
  {
    title: 'Certificate for the booking portal expires on Sunday',
    category: 'General',
    priority: 'Urgent',
    description: 'The portal shows a warning that its certificate ends in three days. Who renews it, and does the site go down meanwhile?',
    lines: [
      { by: 'desk', text: 'I look into it now.' },
      { by: 'desk', text: 'The owner left in spring. Renewal falls to us until somebody is named.', internal: true },
      { by: 'requester', text: 'Thank you. We are open on Sunday, so please not at noon.' },
    ],
    ends: 'in_progress',
  },
  {
    title: 'The card reader is not found after the update',
    category: 'Bug',
    priority: 'High',
    description:
      '1. Plug the reader in\n2. Open the page of my certificates\n3. "No reader found"\n\nIt worked on Friday, before the update of the laptop.',
    lines: [{ by: 'desk', text: 'Which reader is it? The name stands on its underside.' }],
    ends: 'reviewed',
  },
  {
    title: 'Longer names for meters',
    category: 'Feature',
    priority: 'Low',
    description: 'Our new meters have names of 70 characters. The template allows 64.',
    lines: [
      { by: 'desk', text: '64 is the limit of the common name (X.520). As a DNS name it can be longer: I have changed the template.' },
      { by: 'requester', text: 'That works, thank you.' },
    ],
    ends: 'closed',
  },
  {
    title: 'Request refused: the name is not registered',
    category: 'General',
    priority: 'Normal',
    description:
      'My request for a certificate was denied with "The name is not registered to this department". It is registered to us since March.',
    lines: [
      { by: 'desk', text: 'The register was out of date. Ask once more, it passes now.' },
      { by: 'requester', text: 'It was refused again.' },
    ],
    ends: 'reopened',
  },
  {
    title: 'Who approves when both approvers are on leave?',
    category: 'Other',
    priority: 'Normal',
    description: 'Code signing needs two approvals, and next week both of ours are away.',
    lines: [],
    ends: 'open',
  },
  {
    title: 'Export of the certificate report takes long',
    category: 'Bug',
    priority: 'Low',
    description: 'With all columns it takes about a minute. Is that expected?',
    lines: [{ by: 'desk', text: 'With the year narrowed it takes a second; all years together are many rows.' }],
    ends: 'closed',
  },
]

/** The statuses on the way to the last one. */
const ways: Readonly<Record<Status, readonly Status[]>> = {
  open: [],
  reviewed: ['reviewed'],
  in_progress: ['reviewed', 'in_progress'],
  closed: ['in_progress', 'closed'],
  reopened: ['in_progress', 'closed', 'reopened'],
}

/** Tells each story several times, over the last two months. */
export async function writeTickets(house: House, tenancies: readonly FoundTenancy[], chance: Chance): Promise<void> {
  const now = house.now().getTime()
  for (const { id: tenantId, members } of tenancies) {
    const desk = members.find(({ role }) => role === 'administrator')
    const askers = members.filter(({ role, activated }) => role !== 'administrator' && activated)
    if (desk === undefined || askers.length === 0) continue
    const planned = [...stories, ...stories].map((story, at) => {
      const soonest = at < stories.length ? 6 * hour : 20 * day
      return { story, asker: chance.pick(askers), at: chance.between(new Date(now - 60 * day), new Date(now - soonest)) }
    })
    for (const { story, asker, at } of planned.toSorted((one, other) => one.at.getTime() - other.at.getTime()))
      await tell(house, tenantId, {
        story,
        asker,
        desk,
        at,
        step: () => chance.between(new Date(10 * 60_000), new Date(5 * hour)).getTime(),
      })
  }
}

type Telling = { story: Story; asker: Member; desk: Member; at: Date; step: () => number }

async function tell(house: House, tenantId: string, { story, asker, desk, at, step }: Telling): Promise<void> {
  let then = at
  const later = (): Date => (then = new Date(Math.min(then.getTime() + step(), house.now().getTime())))
  const by = { requester: { userId: asker.id, username: asker.username }, desk: { userId: desk.id, username: desk.username } }
  const inPast = (who: keyof typeof by) => ({ past: houseAt(house, later()), actor: { userId: by[who].userId, name: by[who].username } })

  const first = inPast('requester')
  let ticket = await first.past.work(tenantId, first.actor, async ({ tenancy, emitFor }) =>
    raiseTicket({ tenancy, house: first.past, emit: emitFor(tickets), untold: true }, by.requester, story),
  )
  for (const line of story.lines) {
    const { past, actor } = inPast(line.by)
    await past.work(tenantId, actor, ({ tenancy, emitFor }) =>
      writeMessage({ tenancy, house: past, emit: emitFor(tickets), untold: true }, by[line.by], ticket, {
        content: line.text,
        internal: line.internal === true,
      }),
    )
    if (line.by === 'desk') ticket = { ...ticket, first_response_at: ticket.first_response_at ?? past.now() }
  }
  for (const status of ways[story.ends]) {
    const { past, actor } = inPast('desk')
    await past.work(tenantId, actor, async ({ tenancy, emitFor }) => {
      const emit = emitFor(tickets)
      if (ticket.assigned_to === null) {
        await updateTicket(tenancy, ticket.ticket_id, { assigned_to: desk.id, assigned_name: desk.username })
        emit('assigned', { ticketId: ticket.ticket_id, userId: desk.id }, ticket.id)
      }
      await moveTicket({ tenancy, house: past, emit, untold: true }, ticket, status)
    })
    ticket = { ...ticket, status, assigned_to: desk.id }
  }
}
