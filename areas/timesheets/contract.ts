import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery, Paragraph, sortedBy } from '#core/contract/shapes.ts'
import { isMonday, mostBreak, mostEntries, moves, roundings, states } from './rules.ts'

const Day = z.iso
  .date()
  .refine((text) => text >= '2000-01-01' && text < '2100-01-01', 'Give a day of this century')
  .meta({ examples: ['2030-01-07'] })
const Week = Day.refine(isMonday, 'Give the Monday of the week').meta({ examples: ['2030-01-07'] })
const Time = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Give a time such as 08:30')
  .meta({ examples: ['08:30'] })

const EntryDraft = z.object({
  day: Day,
  /** By the clock of the tenancy’s zone. */
  from: Time,
  /** No later than `from`: of the next day. */
  to: Time,
  breakMinutes: z.number().int().min(0, 'Use at least 0').max(mostBreak, `Use at most ${mostBreak}`).default(0),
  activity: Line(120),
  project: OptionalLine(80),
  note: OptionalLine(200),
})

const Entry = z.object({
  id: Id,
  day: z.string(),
  from: z.string(),
  to: z.string(),
  start: Instant,
  end: Instant,
  breakMinutes: z.number().int(),
  minutes: z.number().int(),
  activity: z.string(),
  project: z.string(),
  note: z.string(),
})

const State = z.enum(states)

const WeekSheet = z.object({
  userId: z.string(),
  username: z.string(),
  week: z.string(),
  /** The zone whose clock the times are by. */
  zone: z.string(),
  state: State,
  affirmedEmpty: z.boolean(),
  minutes: z.number().int(),
  /** Of the week; 0 before the first save. */
  version: z.number().int(),
  entries: z.array(Entry),
  history: z.array(z.object({ at: Instant, by: z.string(), what: z.enum(moves), reason: z.string() })),
  /** What the caller may do with it now. */
  moves: z.array(z.enum(moves)),
})

const Row = z.object({
  userId: z.string(),
  username: z.string(),
  week: z.string(),
  state: State,
  minutes: z.number().int(),
  affirmedEmpty: z.boolean(),
  changedAt: Instant,
})

const version = z.number().int().min(0).optional()
const locked = { status: 409, says: 'The week was submitted or approved and cannot be changed' } as const
const wrongState = { status: 409, says: 'The week has moved on: this cannot be done with it now' } as const
const notYours = { status: 403, says: 'Nobody decides about the own timesheet' } as const
const decisionFaults = { wrongState, notYours } as const
const Chosen = z.object({ userId: Id, week: Week, version })

export const timesheets = contract({
  area: 'timesheets',
  title: 'Timesheets',
  screens: {
    overview: {
      path: '/timesheets/manage/overview/*',
      needs: 'timesheetOverview',
      title: 'Timesheets',
      also: 'working hours, my week, time recording',
      menu: {
        group: 'people',
        entry: 'timesheets',
        tab: 'My week',
        place: 10,
        more: [{ tab: 'Team', params: { '*': 'team' } }],
      },
    },
    search: {
      path: '/timesheets/manage/search',
      needs: 'searchTimesheets',
      title: 'Search timesheets',
      also: 'hours of people, export hours',
      menu: { group: 'people', entry: 'timesheets', tab: 'Search', place: 30 },
    },
    view: { path: '/timesheets/manage/view/*', needs: 'viewTimesheets', title: 'Timesheet of a week', parent: 'overview' },
  },
  calls: {
    week: {
      does: 'Answers the caller’s own timesheet of a week with its entries and what was decided about it.',
      method: 'GET',
      path: '/api2/IDM-v1/TimesheetWeek',
      needs: 'timesheetOverview',
      /** Without a week: the one of today in the zone of the tenancy. */
      input: z.object({ week: Week.optional() }),
      output: WeekSheet,
      failed: 'The timesheet could not be read',
    },
    save: {
      does: 'Replaces the entries of the caller’s own week, which is a draft or was returned; answers its version and minutes.',
      title: 'Save a timesheet',
      method: 'PUT',
      path: '/api2/IDM-v1/TimesheetWeek',
      needs: 'timesheetOverview',
      tokens: 'never',
      input: z.object({
        week: Week,
        version,
        entries: z.array(EntryDraft).max(mostEntries, `Use at most ${mostEntries} entries`),
      }),
      output: z.object({ version: z.number().int(), minutes: z.number().int() }),
      done: 'The week was saved',
      failed: 'The week was not saved',
      faults: {
        locked,
        overlap: { status: 400, says: 'The time overlaps that of another entry' },
        outside: { status: 400, says: 'The day is not in this week' },
        nothing: { status: 400, says: 'The break is as long as the entry' },
      },
    },
    submit: {
      does: 'Submits the caller’s own week for approval; a week without entries has to be affirmed as empty.',
      title: 'Submit a timesheet',
      method: 'POST',
      path: '/api2/IDM-v1/SubmitTimesheet',
      needs: 'timesheetOverview',
      tokens: 'never',
      input: z.object({ week: Week, affirmEmpty: z.boolean().default(false), version }),
      output: z.object({ version: z.number().int() }),
      done: 'The week was submitted',
      failed: 'The week was not submitted',
      faults: {
        wrongState,
        empty: { status: 400, says: 'The week has no entries. Affirm that nothing was worked', field: 'affirmEmpty' },
        notOver: { status: 400, says: 'The week has an entry that is not over yet' },
      },
    },
    recall: {
      does: 'Takes the caller’s own submitted week back, as long as nobody has decided.',
      title: 'Take a timesheet back',
      method: 'POST',
      path: '/api2/IDM-v1/RecallTimesheet',
      needs: 'timesheetOverview',
      tokens: 'never',
      input: z.object({ week: Week, version }),
      output: z.object({ version: z.number().int() }),
      done: 'The week is a draft again',
      failed: 'The week was not taken back',
      faults: { wrongState },
    },
    view: {
      does: 'Answers the timesheet of a person and a week with its entries and what was decided about it.',
      method: 'GET',
      path: '/api2/IDM-v1/TimesheetOf',
      needs: 'viewTimesheets',
      input: z.object({ userId: Id, week: Week }),
      output: WeekSheet,
      failed: 'The timesheet could not be read',
    },
    approve: {
      does: 'Approves the submitted week of another person; answers its version.',
      title: 'Approve a timesheet',
      method: 'POST',
      path: '/api2/IDM-v1/ApproveTimesheet',
      needs: 'viewTimesheets',
      tokens: 'never',
      input: Chosen,
      output: z.object({ version: z.number().int() }),
      done: 'The timesheet was approved',
      failed: 'The timesheet was not approved',
      faults: decisionFaults,
    },
    giveBack: {
      does: 'Returns the week of another person with a reason, also one that was approved or exported, so that it can be changed.',
      title: 'Return a timesheet',
      method: 'POST',
      path: '/api2/IDM-v1/ReturnTimesheet',
      needs: 'viewTimesheets',
      tokens: 'never',
      input: Chosen.extend({ reason: Paragraph(2_000).refine((text) => text.trim() !== '', 'Enter a value') }),
      output: z.object({ version: z.number().int() }),
      done: 'The timesheet was returned',
      failed: 'The timesheet was not returned',
      faults: decisionFaults,
    },
    team: {
      does: 'Answers for a week who keeps a timesheet, and how far each has come with it; missing are those who have begun none.',
      method: 'GET',
      path: '/api2/IDM-v1/TimesheetTeam',
      needs: 'viewTimesheets',
      input: z.object({ week: Week.optional() }),
      output: z.object({
        week: z.string(),
        people: z.array(
          z.object({
            userId: z.string(),
            name: z.string(),
            username: z.string(),
            state: z.enum([...states, 'missing']),
            minutes: z.number().int(),
          }),
        ),
      }),
      failed: 'The team could not be read',
    },
    search: {
      does: 'Lists the timesheets of the tenancy by person, state and period, with the minutes of all that match.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchTimesheets',
      needs: 'searchTimesheets',
      reads: true,
      input: PageQuery.extend({
        sort: sortedBy('week', 'username', 'minutes', 'changedAt'),
        direction: z.enum(['asc', 'desc']).default('desc'),
        state: z.array(State).max(states.length).default([]),
        from: Day.optional(),
        until: Day.optional(),
      }),
      output: pageOf(Row).extend({ minutes: z.number().int() }),
      failed: 'The timesheets could not be read',
    },
    exportApproved: {
      does: 'Answers the entries of the approved weeks of a period as CSV and marks the weeks as exported; rounding touches this file alone.',
      title: 'Export timesheets',
      method: 'POST',
      path: '/api2/IDM-v1/ExportTimesheets',
      needs: 'searchTimesheets',
      tokens: 'never',
      packed: true,
      input: z.object({
        from: Day,
        until: Day,
        roundTo: z
          .number()
          .int()
          .refine((to) => roundings.some((one) => one === to), `Use one of ${roundings.join(', ')}`)
          .default(1),
        /** Exported ones once more. */
        again: z.boolean().default(false),
      }),
      output: z.object({ weeks: z.number().int(), more: z.boolean(), csv: z.string() }),
      failed: 'The timesheets were not exported',
      faults: { endsBefore: { status: 400, says: 'The end comes before the beginning', field: 'until' } },
    },
  },
  events: {
    saved: { says: 'Saved a timesheet', body: z.object({ userId: Id, week: z.string(), minutes: z.number().int() }) },
    submitted: { says: 'Submitted a timesheet', body: z.object({ userId: Id, week: z.string() }) },
    recalled: { says: 'Took a timesheet back', body: z.object({ userId: Id, week: z.string() }) },
    approved: { says: 'Approved a timesheet', body: z.object({ userId: Id, week: z.string() }) },
    returned: { says: 'Returned a timesheet', body: z.object({ userId: Id, week: z.string(), reason: z.string() }) },
    exported: { says: 'Exported a timesheet', body: z.object({ userId: Id, week: z.string() }) },
  },
})
