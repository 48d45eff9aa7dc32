import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery, Paragraph } from '#core/contract/shapes.ts'
import { visitStates } from './rules.ts'

const Visit = z.object({
  id: Id,
  name: z.string(),
  company: z.string(),
  host: z.object({ id: Id, name: z.string() }),
  from: Instant,
  until: Instant,
  state: z.enum(visitStates),
})

const visitId = z.object({ id: Id })
const body = z.object({ visitId: Id, hostId: Id })
const times = {
  endsBefore: { status: 400, says: 'The end comes before the beginning', field: 'until' },
  tooLong: { status: 400, says: 'A visit is at most {days} days long', field: 'until' },
  past: { status: 400, says: 'Choose an end in the future', field: 'until' },
} as const
const notHere = { status: 409, says: 'The visitor is not in the house now' } as const

export const visitors = contract({
  area: 'visitors',
  title: 'Visitors',
  screens: {
    list: {
      path: '/identity/visitor/visits',
      needs: 'userView',
      title: 'Visitors',
      also: 'visits, guests, reception, passes',
      menu: { group: 'people', entry: 'sponsors', tab: 'Visitors', place: 20 },
    },
    add: { path: '/identity/visitor/add', needs: 'manageSponsor', title: 'New visit', parent: 'list', button: 'New visit' },
    visit: { path: '/identity/visitor/visit/:id', needs: 'userView', title: 'Visit', parent: 'list' },
  },
  calls: {
    search: {
      does: 'Lists the visits of the tenancy, the newest first, by a part of a name or company and by state.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchVisits',
      needs: 'userView',
      reads: true,
      input: PageQuery.extend({ state: z.enum(visitStates).optional() }),
      output: pageOf(Visit),
    },
    read: {
      does: 'Answers one visit with its pass and when the visitor came and went.',
      method: 'GET',
      path: '/api2/IDM-v1/Visit',
      needs: 'userView',
      input: visitId,
      output: Visit.extend({
        emailAddress: z.string(),
        purpose: z.string(),
        passNumber: z.string(),
        arrivedAt: Instant.optional(),
        leftAt: Instant.optional(),
        version: z.number().int(),
      }),
    },
    add: {
      does: 'Plans a visit to somebody of the tenancy; answers its id.',
      title: 'Plan a visit',
      method: 'POST',
      path: '/api2/IDM-v1/Visit',
      needs: 'manageSponsor',
      input: z.object({
        name: Line(120),
        company: OptionalLine(120),
        emailAddress: z.union([z.literal(''), z.email('Enter an e-mail address').max(254)]).default(''),
        hostId: Id,
        from: Instant,
        until: Instant,
        purpose: Paragraph(500).default(''),
      }),
      output: z.object({ id: Id }),
      done: 'The visit was planned',
      failed: 'The visit was not planned',
      faults: { ...times, unknownHost: { status: 400, says: 'There is no such person', field: 'hostId' } },
    },
    arrive: {
      does: 'Records that a visitor has come, with the pass that was handed out; answers nothing.',
      title: 'Record an arrival',
      method: 'POST',
      path: '/api2/IDM-v1/ArriveVisit',
      needs: 'manageSponsor',
      input: visitId.extend({ passNumber: OptionalLine(40) }),
      output: z.object({}),
      done: 'The visitor has arrived',
      failed: 'The arrival was not recorded',
      faults: { notExpected: { status: 409, says: 'This visit does not wait for the visitor any more' } },
    },
    leave: {
      does: 'Records that a visitor has gone; answers nothing.',
      title: 'Record a departure',
      method: 'POST',
      path: '/api2/IDM-v1/LeaveVisit',
      needs: 'manageSponsor',
      input: visitId,
      output: z.object({}),
      done: 'The visitor has left',
      failed: 'The departure was not recorded',
      faults: { notHere },
    },
    extend: {
      does: 'Gives a visit another end; answers nothing.',
      title: 'Extend a visit',
      method: 'POST',
      path: '/api2/IDM-v1/ExtendVisit',
      needs: 'manageSponsor',
      input: visitId.extend({ until: Instant }),
      output: z.object({}),
      done: 'The visit was extended',
      failed: 'The visit was not extended',
      faults: { ...times, over: { status: 409, says: 'The visit is over' } },
    },
    cancel: {
      does: 'Cancels a visit for which the visitor has not come yet; answers nothing.',
      title: 'Cancel a visit',
      method: 'POST',
      path: '/api2/IDM-v1/CancelVisit',
      needs: 'manageSponsor',
      input: visitId,
      output: z.object({}),
      done: 'The visit was cancelled',
      failed: 'The visit was not cancelled',
      faults: { begun: { status: 409, says: 'The visitor has come already' } },
    },
  },
  jobs: {
    overstays: { title: 'Tell hosts of visitors who have not left', every: '*/10 * * * *' },
  },
  events: {
    planned: { says: 'Planned a visit', body },
    arrived: { says: 'A visitor arrived', body: body.extend({ passNumber: z.string() }) },
    left: { says: 'A visitor left', body },
    extended: { says: 'Extended a visit', body: body.extend({ until: Instant }) },
    cancelled: { says: 'Cancelled a visit', body },
    overstayed: { says: 'A visitor has not left', body },
  },
})
