import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery, Paragraph, sortedBy } from '#core/contract/shapes.ts'
import { addPath } from './paths.ts'
import {
  categories,
  heldReasons,
  isLongerThan,
  mostMessage,
  mostTitle,
  priorities,
  readStatus,
  statuses,
  statusSpellings,
  type Status,
} from './rules.ts'

const TicketNumber = z.number().int().min(1).max(2_147_483_647)
const Wire = z.enum([
  'TICKET_STATUS_OPEN',
  'TICKET_STATUS_REVIEWED',
  'TICKET_STATUS_IN_PROGRESS',
  'TICKET_STATUS_CLOSED',
  'TICKET_STATUS_REOPENED',
])
/** Every spelling of a status, read as one. */
const AnyStatus = z
  .string()
  .refine((text) => readStatus(text) !== undefined, `Use one of ${statusSpellings.filter((text) => text.startsWith('TICKET')).join(', ')}`)
  .transform((text): Status => readStatus(text) ?? 'open')

/** A text whose length is counted in code points. */
const Characters = (most: number) =>
  Paragraph(2 * most).refine((text) => !isLongerThan(text, most), `Use at most ${most.toLocaleString('en-GB')} characters`)

const Text = Characters(mostMessage).refine((text) => text.trim() !== '', 'Enter a value')

const RecordLink = z.object({ kind: z.string().min(1).max(50), id: z.string().min(1).max(200) })

const TicketDraft = z.object({
  title: Line(mostTitle),
  category: z.enum(categories),
  description: Text,
  /** For those who handle tickets. */
  priority: z.enum(priorities).optional(),
})

/** The fields of a ticket as the specification names them; `ticketId` is a number of the tenancy. */
const Ticket = z.object({
  ticketId: z.number().int(),
  title: z.string(),
  category: z.enum(categories),
  description: z.string(),
  ticketStatus: Wire,
  createdAt: Instant,
  updatedAt: Instant,
  /** The id of who handles it; empty where nobody does. */
  assignedTo: z.string(),
  assignedName: z.string(),
  priority: z.enum(priorities),
  createdBy: z.string(),
  userId: z.string(),
  tenantId: z.string(),
  username: z.string(),
  waitingOn: z.enum(['us', 'requester']),
  /** By business hours; absent where it is nobody's turn of those who handle tickets, or there is no target. */
  responseDue: Instant.optional(),
  resolutionDue: Instant.optional(),
})

const Message = z.object({
  messageId: Id,
  ticketId: z.number().int(),
  messageContent: z.string(),
  sender: z.string(),
  senderId: z.string(),
  internalIndicator: z.boolean(),
  sentAt: Instant,
  editedAt: Instant.optional(),
  /** Whether the caller wrote it. */
  own: z.boolean(),
  /** It came as an answer to a letter. */
  byMail: z.boolean().optional(),
})

const MessageDraft = z.object({
  /** The number by itself, or in an object of its own. */
  ticketId: z.union([TicketNumber, z.object({ ticketId: TicketNumber })]),
  messageContent: Text,
  /** Taken and not read: the sender is who asks. */
  sender: z.string().max(200).optional(),
  internalIndicator: z.boolean().default(false),
})

export const searchFields = [
  'ticketId',
  'title',
  'category',
  'ticketStatus',
  'priority',
  'createdAt',
  'updatedAt',
  'assignedTo',
  'createdBy',
  'userId',
  'username',
] as const

const SearchGroup = z.object({
  field: z.enum(searchFields),
  comparison: z.enum(['equals', 'notEquals', 'contains', 'startsWith', 'lessThan', 'greaterThan']).default('equals'),
  value: z.union([z.string().max(200), TicketNumber]),
  /** Joins the group with the one before it; `and` binds tighter. */
  operator: z.enum(['and', 'or', 'AND', 'OR']).default('and'),
})

export const whoses = ['all', 'createdByMe', 'assignedToMe'] as const

const TimeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'Give a time such as 09:00')
const OpenHours = z
  .object({ from: TimeOfDay, to: z.union([z.literal('24:00'), TimeOfDay]) })
  .refine(({ from, to }) => from < to, { message: 'The end comes after the beginning', path: ['to'] })
/** Hours that touch or overlap would count twice. */
const DayHours = z
  .array(OpenHours)
  .max(4, 'A day has at most four times')
  .refine(
    (hours) => hours.every(({ from }, at) => at === 0 || (hours[at - 1]?.to ?? '') <= from),
    'Give the times in order, without overlap',
  )
const Minutes = z.number().int().min(0).max(60_000, 'Give at most 1,000 hours')
const Target = z.object({ response: Minutes, resolution: Minutes })
const DeskShape = z.object({
  week: z
    .array(DayHours)
    .length(7, 'Give seven days, Monday first')
    .meta({ examples: [[[], [], [], [], [], [], []]] }),
  holidays: z.array(z.iso.date('Give a day such as 2026-12-25')).max(200),
  targets: z.object({ Low: Target, Normal: Target, High: Target, Urgent: Target }),
  answers: z
    .array(z.object({ name: Line(80), text: Characters(2_000).refine((text) => text.trim() !== '', 'Enter a value') }))
    .max(100, 'Keep at most 100 answers')
    .refine((answers) => new Set(answers.map(({ name }) => name)).size === answers.length, 'Each answer needs a name of its own'),
})

const missingRight = { status: 403, says: 'Only those who handle tickets may do this' } as const
const moveFaults = {
  wrongMove: { status: 409, says: 'A ticket that is {from} can only become {allowed}' },
} as const
const messageFaults = {
  internalDenied: { status: 403, says: 'Only those who handle tickets write internal notes', field: 'internalIndicator' },
  closed: { status: 409, says: 'The ticket is closed. Raise a new one and name this one in it' },
  notYours: { status: 403, says: 'Only who wrote a message may change or delete it' },
} as const
const linkFaults = {
  noRecord: { status: 400, says: 'There is no such record, or not for you', field: 'id' },
  tooMany: { status: 409, says: 'A ticket has at most 50 links' },
} as const

export const tickets = contract({
  area: 'tickets',
  title: 'Tickets',
  screens: {
    mine: {
      path: '/support/myTickets',
      needs: 'ticketView',
      title: 'My tickets',
      menu: { group: 'support', entry: 'tickets', tab: 'My tickets', place: 10 },
      also: 'support, help desk, problem',
    },
    add: {
      path: addPath,
      needs: 'ticketAdd',
      title: 'New ticket',
      parent: 'mine',
      button: 'New ticket',
      also: 'raise a ticket, report a problem, ask for help',
    },
    view: { path: '/support/ticket/:id/view', needs: 'ticketView', title: 'Ticket', parent: 'mine' },
    held: {
      path: '/config/tickets',
      needs: 'ticketEdit',
      title: 'Held mail',
      menu: { group: 'settings', entry: 'tickets', tab: 'Held mail', place: 20 },
      also: 'mail about tickets, answers by mail',
    },
    desk: {
      path: '/config/tickets/desk',
      needs: 'ticketEdit',
      title: 'Times and answers',
      menu: { group: 'settings', entry: 'tickets', tab: 'Times and answers', place: 10 },
      also: 'business hours, SLA, holidays, targets, canned answers',
    },
    edit: { path: '/support/ticket/:id/edit', needs: 'ticketEdit', title: 'Edit ticket', parent: 'view' },
  },
  records: {
    /** Found by those who handle tickets; everybody else finds their own in their list. */
    ticket: {
      singular: 'Ticket',
      plural: 'Tickets',
      needs: 'ticketEdit',
      list: { needs: 'ticketView', menu: { group: 'support', entry: 'tickets', tab: 'All tickets', place: 20 } },
    },
  },
  calls: {
    read: {
      does: 'Answers one ticket that the caller may see, with what may become of it.',
      method: 'GET',
      path: '/api2/Monitoring-v1/Ticket',
      needs: 'ticketView',
      input: z.object({ ticketId: TicketNumber }),
      output: Ticket.extend({
        version: z.number().int(),
        closedAt: Instant.optional(),
        /** The statuses that it can be given now. */
        moves: z.array(z.enum(statuses)),
        /** Why nobody can write in it any more; absent where the caller can. */
        mayWrite: z.boolean(),
        attachments: z.array(
          z.object({ id: Id, name: z.string(), size: z.number().int(), addedBy: z.string(), addedAt: Instant, own: z.boolean() }),
        ),
        /** Of a record that the caller may not see only its kind is told. */
        links: z.array(
          z.object({
            kind: z.string(),
            kindName: z.string(),
            id: z.string().optional(),
            name: z.string().optional(),
            path: z.string().optional(),
            /** What happened to the record since it was linked, the newest first. */
            since: z.array(z.object({ at: Instant, what: z.string() })).optional(),
          }),
        ),
      }),
      failed: 'Failed to fetch tickets',
    },
    add: {
      does: 'Raises a ticket of the caller; answers its number.',
      title: 'Raise a ticket',
      method: 'POST',
      path: '/api2/Monitoring-v1/Ticket',
      needs: 'ticketAdd',
      input: TicketDraft.extend({ links: z.array(RecordLink).max(10).default([]) }),
      output: z.object({ ticketId: z.number().int() }),
      done: 'Ticket created successfully!',
      failed: 'An error occurred during ticket submission',
      faults: { priorityDenied: { ...missingRight, field: 'priority' }, ...linkFaults },
    },
    change: {
      does: 'Replaces title, category and description of a ticket and moves it to a status; answers whether anything was changed.',
      title: 'Change a ticket',
      method: 'PUT',
      path: '/api2/Monitoring-v1/Ticket',
      needs: 'ticketEdit',
      /** Refuses the change where another one was made since the version that was read. */
      input: TicketDraft.extend({ ticketId: TicketNumber, ticketStatus: AnyStatus.optional(), version: z.number().int().optional() }),
      output: z.object({ changed: z.boolean() }),
      done: 'Ticket updated successfully!',
      failed: 'The ticket was not updated',
      faults: moveFaults,
    },
    closeMany: {
      does: 'Closes the tickets with these numbers; answers how many were closed, were closed already, and are not there.',
      title: 'Close tickets',
      method: 'PATCH',
      path: '/api2/Monitoring-v1/Ticket',
      needs: 'ticketEdit',
      input: z.object({
        ticketIds: z.array(TicketNumber).min(1).max(1000),
        fieldsToUpdate: z.object({
          ticketStatus: z.enum(['closed', 'CLOSED', 'TICKET_STATUS_CLOSED'], 'Many tickets at once can only be closed'),
        }),
      }),
      output: z.object({ closed: z.number().int(), unchanged: z.number().int(), missing: z.number().int() }),
      done: 'Selected tickets have been closed.',
      failed: 'Failed to close tickets.',
    },
    assign: {
      does: 'Gives a ticket to a person who handles tickets; to nobody where the id is empty.',
      title: 'Assign a ticket',
      method: 'PATCH',
      path: '/api2/Monitoring-v1/AssignTicketToUser',
      needs: 'ticketEdit',
      input: z.object({ ticketId: TicketNumber, userId: z.union([z.literal(''), Id]) }),
      output: z.object({}),
      done: 'Ticket assigned successfully.',
      failed: 'Failed to assign ticket',
      faults: { cannotHandle: { status: 400, says: 'This person does not exist here or does not handle tickets', field: 'userId' } },
    },
    messages: {
      does: 'Lists the messages of a ticket that the caller may see, the oldest first.',
      method: 'GET',
      path: '/api2/Monitoring-v1/SearchTicketMessages',
      needs: 'ticketView',
      input: z.object({ ticketId: TicketNumber }),
      output: z.object({ ticketMessages: z.array(Message) }),
      failed: 'Failed to fetch tickets',
    },
    addMessage: {
      does: 'Writes a message of the caller to a ticket; a reply of the requester reopens a closed one for 14 days. Answers its id.',
      title: 'Write to a ticket',
      method: 'POST',
      path: '/api2/Monitoring-v1/TicketMessage',
      needs: 'ticketView',
      input: MessageDraft,
      output: z.object({ messageId: Id }),
      done: 'Add ticket messages succeeded',
      failed: 'Add ticket messages failed',
      faults: messageFaults,
    },
    changeMessage: {
      does: 'Replaces the text of a message that the caller wrote in a ticket that is not closed.',
      title: 'Change a message',
      method: 'PUT',
      path: '/api2/Monitoring-v1/TicketMessage',
      needs: 'ticketView',
      input: MessageDraft.extend({ messageId: Id, internalIndicator: z.boolean().optional() }),
      output: z.object({}),
      done: 'Update ticket messages succeeded',
      failed: 'Update ticket messages failed',
      faults: { ...messageFaults, wrongTicket: { status: 400, says: 'The message is in another ticket', field: 'ticketId' } },
    },
    removeMessage: {
      does: 'Deletes a message that the caller wrote in a ticket that is not closed.',
      title: 'Delete a message',
      method: 'DELETE',
      path: '/api2/Monitoring-v1/TicketMessage',
      needs: 'ticketView',
      input: z.object({ messageId: Id }),
      output: z.object({}),
      failed: 'The message was not deleted',
      faults: messageFaults,
    },
    searchSupportTickets: {
      does: 'Finds the tickets that the caller may see by groups of field, comparison and value.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchSupportTickets',
      needs: 'ticketView',
      reads: true,
      input: z.object({
        search_groups: z.array(SearchGroup).max(20, 'Use at most 20 groups').default([]),
        skip: z.number().int().min(0).max(1_000_000).default(0),
        take: z.number().int().min(1).max(100).default(100),
        sort_field: z.enum(['ticketId', 'title', 'category', 'ticketStatus', 'priority', 'createdAt', 'updatedAt']).default('updatedAt'),
        sort_direction: z.enum(['asc', 'desc']).default('desc'),
      }),
      output: z.object({ totalResults: z.number().int(), results: z.array(Ticket) }),
      failed: 'Failed to fetch tickets',
    },
    metrics: {
      does: 'Answers counts, times and trends of the tickets that the caller may see, over the last days.',
      method: 'GET',
      path: '/api2/Monitoring-v1/SupportTicketMetrics',
      needs: 'ticketView',
      input: z.object({ days: z.number().int().min(1).max(366).default(30) }),
      output: z.object({
        ticketCounts: z.object({ open: z.number().int(), inProgress: z.number().int(), closed: z.number().int() }),
        /** Times in seconds, a rate from 0 to 1; null where there is nothing to count. */
        timeMetrics: z.object({
          avgFirstResponseTime: z.number().nullable(),
          responseRate: z.number().nullable(),
          avgResolutionTime: z.number().nullable(),
        }),
        /** Against the same number of days before. */
        trends: z.object({ responseRateChange: z.number().nullable(), resolutionTimeChange: z.number().nullable() }),
        period: z.object({ from: Instant, to: Instant, days: z.number().int() }),
      }),
      failed: 'Failed to fetch ticket metrics',
    },
    search: {
      does: 'Lists the tickets that the caller may see by page, with the number of each status.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchTickets',
      needs: 'ticketView',
      reads: true,
      input: PageQuery.extend({
        sort: sortedBy('ticketId', 'title', 'priority', 'createdAt', 'updatedAt'),
        direction: z.enum(['asc', 'desc']).default('desc'),
        whose: z.enum(whoses).default('all'),
        createdBy: Id.optional(),
        assignedTo: Id.optional(),
        status: z.array(z.enum(statuses)).max(5).default([]),
        category: z.array(z.enum(categories)).max(4).default([]),
        priority: z.array(z.enum(priorities)).max(4).default([]),
      }),
      output: pageOf(Ticket),
      failed: 'Failed to fetch tickets',
    },
    handlers: {
      does: 'Lists the people who handle tickets, for assigning one.',
      method: 'GET',
      path: '/api2/Monitoring-v1/TicketHandlers',
      needs: 'ticketEdit',
      input: z.object({}),
      output: z.object({ people: z.array(z.object({ id: Id, name: z.string(), username: z.string() })) }),
    },
    requesters: {
      does: 'Lists people who raised tickets, by words of their names, at most 50; `id` names one of them as well.',
      method: 'GET',
      path: '/api2/Monitoring-v1/TicketRequesters',
      needs: 'ticketEdit',
      input: z.object({ text: z.string().max(200).default(''), id: Id.optional() }),
      output: z.object({ people: z.array(z.object({ id: Id, name: z.string(), username: z.string() })) }),
    },
    searchHeldMail: {
      does: 'Lists mail about tickets that is held for a person, with the reason, the newest first.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchHeldMail',
      needs: 'ticketEdit',
      reads: true,
      input: PageQuery,
      output: pageOf(
        z.object({
          id: Id,
          ticketId: z.number().int(),
          sender: z.string(),
          subject: z.string(),
          content: z.string(),
          reason: z.enum(heldReasons),
          receivedAt: Instant,
        }),
      ),
      failed: 'The held mail could not be read',
    },
    releaseHeldMail: {
      does: 'Writes a held mail into its ticket as an internal note of the caller that names its sender, or discards it.',
      title: 'Decide about held mail',
      method: 'POST',
      path: '/api2/Monitoring-v1/ReleaseHeldMail',
      needs: 'ticketEdit',
      input: z.object({ id: Id, discard: z.boolean().default(false) }),
      output: z.object({ ticketId: z.number().int() }),
      done: 'The held mail was dealt with',
      failed: 'The held mail stays held',
    },
    link: {
      does: 'Links a record that the caller may see to a ticket.',
      title: 'Link a record to a ticket',
      method: 'POST',
      path: '/api2/Monitoring-v1/TicketLink',
      needs: 'ticketView',
      input: RecordLink.extend({ ticketId: TicketNumber }),
      output: z.object({}),
      failed: 'The record was not linked',
      faults: linkFaults,
    },
    unlink: {
      does: 'Takes a link from a ticket.',
      title: 'Take a link from a ticket',
      method: 'DELETE',
      path: '/api2/Monitoring-v1/TicketLink',
      needs: 'ticketEdit',
      input: RecordLink.extend({ ticketId: TicketNumber }),
      output: z.object({}),
      failed: 'The link was not taken away',
    },
    config: {
      does: 'Answers business hours, targets and canned answers of the desk; all who handle tickets read them.',
      method: 'GET',
      path: '/api2/Monitoring-v1/TicketConfig',
      needs: 'ticketEdit',
      input: z.object({}),
      output: DeskShape.extend({ version: z.number().int(), zone: z.string() }),
      failed: 'The settings of the desk could not be read',
    },
    saveConfig: {
      does: 'Replaces business hours, targets and canned answers of the desk. Tickets that run keep the policy that they were raised with.',
      title: 'Change the settings of the desk',
      method: 'PUT',
      path: '/api2/Monitoring-v1/TicketConfig',
      needs: 'ticketEdit',
      input: DeskShape.extend({ version: z.number().int().min(0).max(2_000_000_000) }),
      output: z.object({ version: z.number().int() }),
      done: 'The settings of the desk are saved',
      failed: 'The settings of the desk were not saved',
    },
    merge: {
      does: 'Moves the messages of a ticket into another one of the same requester, links both, and closes the first.',
      title: 'Merge two tickets',
      method: 'POST',
      path: '/api2/Monitoring-v1/MergeTickets',
      needs: 'ticketEdit',
      input: z.object({ ticketId: TicketNumber, into: TicketNumber }),
      output: z.object({ ticketId: z.number().int() }),
      done: 'The tickets are merged',
      failed: 'The tickets were not merged',
      faults: {
        sameTicket: { status: 400, says: 'Give the number of another ticket', field: 'into' },
        noTicket: { status: 400, says: 'There is no ticket with this number', field: 'into' },
        otherRequester: { status: 409, says: 'Both tickets must be of the same requester, who would read the other one', field: 'into' },
        closed: { status: 409, says: 'A closed ticket is not merged. Reopen it first' },
      },
    },
    split: {
      does: 'Raises a new ticket of the same requester from a public message of a ticket, and links both. The message stays where it is.',
      title: 'Split a ticket',
      method: 'POST',
      path: '/api2/Monitoring-v1/SplitTicket',
      needs: 'ticketEdit',
      input: z.object({ messageId: Id, title: Line(mostTitle) }),
      output: z.object({ ticketId: z.number().int() }),
      done: 'Successfully added ticket',
      failed: 'Failed to add ticket',
      faults: { internalMessage: { status: 409, says: 'An internal note does not become a ticket, which its requester would read' } },
    },
    presence: {
      does: 'Says that the caller looks at a ticket, and whether they write; answers who of those who handle tickets does so besides.',
      method: 'POST',
      path: '/api2/Monitoring-v1/TicketPresence',
      needs: 'ticketEdit',
      reads: true,
      input: z.object({ ticketId: TicketNumber, writing: z.boolean().default(false) }),
      output: z.object({ people: z.array(z.object({ name: z.string(), writing: z.boolean() })) }),
    },
    removeFile: {
      does: 'Removes a file that the caller attached to a ticket; who handles tickets removes any.',
      title: 'Remove a file from a ticket',
      method: 'DELETE',
      path: '/api2/Monitoring-v1/TicketAttachment',
      needs: 'ticketView',
      input: z.object({ ticketId: TicketNumber, id: Id }),
      output: z.object({}),
      failed: 'The file was not removed',
    },
  },
  jobs: {
    forget: { title: 'Delete addresses and held mail of tickets that are old', every: '25 3 * * *' },
  },
  endpoints: {
    attach: { method: 'POST', path: '/api2/Monitoring-v1/TicketAttachment', needs: 'ticketView', title: 'Attach a file to a ticket' },
    file: { method: 'GET', path: '/api2/Monitoring-v1/TicketAttachment', needs: 'ticketView' },
  },
  streams: {
    follow: {
      path: '/stream/ticket',
      needs: 'ticketView',
      input: z.object({ ticketId: TicketNumber }),
      /** Something that the viewer may see has changed. */
      event: z.object({ ticketId: z.number().int(), at: Instant }),
      failed: 'The ticket could not be followed',
    },
  },
  events: {
    added: { says: 'Raised a ticket', body: z.object({ ticketId: z.number().int(), category: z.string() }) },
    changed: { says: 'Changed a ticket', body: z.object({ ticketId: z.number().int(), fields: z.array(z.string()) }) },
    moved: { says: 'Moved a ticket to another status', body: z.object({ ticketId: z.number().int(), from: z.string(), to: z.string() }) },
    assigned: { says: 'Assigned a ticket', body: z.object({ ticketId: z.number().int(), userId: Id }) },
    unassigned: { says: 'Unassigned a ticket', body: z.object({ ticketId: z.number().int(), userId: Id }) },
    messageAdded: {
      says: 'Wrote to a ticket',
      body: z.object({ ticketId: z.number().int(), messageId: Id, internal: z.boolean() }),
    },
    messageChanged: { says: 'Changed a message', body: z.object({ ticketId: z.number().int(), messageId: Id, internal: z.boolean() }) },
    messageRemoved: { says: 'Deleted a message', body: z.object({ ticketId: z.number().int(), messageId: Id, internal: z.boolean() }) },
    mailHeld: { says: 'Held a mail about a ticket', body: z.object({ ticketId: z.number().int(), mailId: Id, reason: z.string() }) },
    mailReleased: { says: 'Decided about a held mail', body: z.object({ ticketId: z.number().int(), mailId: Id, discarded: z.boolean() }) },
    linked: { says: 'Linked a record to a ticket', body: z.object({ ticketId: z.number().int(), kind: z.string(), recordId: z.string() }) },
    unlinked: { says: 'Took a link from a ticket', body: z.object({ ticketId: z.number().int(), kind: z.string(), recordId: z.string() }) },
    settingsChanged: { says: 'Changed the settings of the desk', body: z.object({ version: z.number().int() }) },
    merged: { says: 'Merged a ticket into another', body: z.object({ ticketId: z.number().int(), into: z.number().int() }) },
    split: { says: 'Made a ticket of a message', body: z.object({ ticketId: z.number().int(), from: z.number().int(), messageId: Id }) },
    attached: {
      says: 'Attached a file to a ticket',
      body: z.object({ ticketId: z.number().int(), attachmentId: Id, size: z.number().int() }),
    },
    fileRemoved: { says: 'Removed a file from a ticket', body: z.object({ ticketId: z.number().int(), attachmentId: Id }) },
  },
})
