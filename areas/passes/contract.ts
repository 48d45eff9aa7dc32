import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery, Paragraph, sortedBy } from '#core/contract/shapes.ts'
import {
  availabilities,
  highestNumber,
  misplacedReasons,
  mostAtOnce,
  numberLength,
  passKinds,
  passNumberOf,
  passStatuses,
} from './rules.ts'

const needs = 'smartcardTemporary'

/** Up to five digits; fewer get zeros in front. */
const PassNumber = z
  .string()
  .trim()
  .regex(new RegExp(`^\\d{1,${numberLength}}$`), 'Enter the number of the pass: at most five digits')
  .meta({ examples: ['00042'] })
  .transform(passNumberOf)
const Kind = z.enum(passKinds)

const Pass = z.object({
  id: Id,
  passNumber: z.string(),
  cardType: Kind,
  status: z.enum(passStatuses),
  /** Whose it is, of a positive pass. */
  userID: Id.optional(),
  givenName: z.string(),
  lastName: z.string(),
  validDate: Instant.optional(),
  expirationDate: Instant.optional(),
  /** Why it is misplaced or out of use. */
  reason: z.string(),
  changedAt: Instant,
})

const Days = z.object({
  /** A day in the time zone of the tenancy: the pass is valid from its start. */
  validDate: Instant,
  /** The pass is valid until 23:59:59 of this day. */
  expirationDate: Instant,
})

const missingPass = { status: 404, says: 'There is no pass with this number', field: 'passNumber' } as const
const retrieving = 'An error occurred while retrieving temporary smartcards'
const updating = 'An error occurred while updating card status'
const updated = 'Card status updated'
const notIssued = { status: 409, says: 'The pass {passNumber} is not issued', field: 'passNumber' } as const
const dayFaults = {
  over: { status: 409, says: 'This day is over', field: 'expirationDate' },
  backwards: { status: 400, says: 'The end comes before the beginning', field: 'expirationDate' },
  tooLong: { status: 400, says: 'A pass is valid for a year at most', field: 'expirationDate' },
} as const
const issueFaults = {
  missingPass,
  notAvailable: { status: 409, says: 'The pass {passNumber} is not available: {status}', field: 'passNumber' },
  otherKind: { status: 409, says: 'The pass {passNumber} is of the other kind', field: 'passNumber' },
  ...dayFaults,
} as const
const Changed = z.object({ passId: Id, passNumber: z.string() })

export const passes = contract({
  area: 'passes',
  title: 'Passes',
  screens: {
    manage: {
      path: '/credentials/smartcards/manage',
      needs,
      title: 'Passes',
      menu: { group: 'cards', entry: 'passes' },
      also: 'temporary passes, positive pass, guest pass, visitor card, lost pass',
    },
    positive: {
      path: '/credentials/smartcards/manage/positive',
      needs,
      title: 'Issue a positive pass',
      parent: 'manage',
      button: 'Issue positive pass',
    },
    guest: {
      path: '/credentials/smartcards/manage/guest',
      needs,
      title: 'Issue a guest pass',
      parent: 'manage',
      button: 'Issue guest pass',
    },
    print: { path: '/credentials/smartcards/manage/print', needs, title: 'Print passes', parent: 'manage' },
  },
  calls: {
    list: {
      does: 'Answers the passes of the tenancy by number, 10,000 at most, all or those of one status.',
      method: 'GET',
      path: '/api/smartcards/temporary',
      needs,
      packed: true,
      input: z.object({ status: z.enum(passStatuses).optional() }),
      output: z.array(Pass),
      failed: retrieving,
    },
    search: {
      does: 'Lists passes page by page, by number or name of the holder, status and kind.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchTemporaryPasses',
      needs,
      reads: true,
      input: PageQuery.extend({
        sort: sortedBy('passNumber', 'expirationDate', 'changedAt'),
        status: z.array(z.enum(passStatuses)).default([]),
        cardType: Kind.optional(),
      }),
      output: pageOf(Pass).extend({ facets: z.object({ status: z.record(z.string(), z.number().int()) }) }),
      failed: retrieving,
    },
    days: {
      does: 'Answers which day it is in the time zone of the tenancy, by which passes begin and end.',
      method: 'GET',
      path: '/api2/CMS-v2/TemporaryPassDay',
      needs,
      input: z.object({}),
      output: z.object({ today: z.string(), timeZone: z.string() }),
    },
    ofPerson: {
      does: 'Answers the passes that a person has now.',
      method: 'GET',
      path: '/api/smartcards/temporary/user/:userId',
      needs,
      input: z.object({ userId: Id }),
      output: z.array(Pass),
      failed: retrieving,
    },
    accounts: {
      does: 'Answers who has passes now, people and guests, with how many.',
      method: 'GET',
      path: '/api/smartcards/temporary/accounts',
      needs,
      packed: true,
      input: z.object({}),
      output: z.array(
        z.object({ userID: Id.optional(), givenName: z.string(), lastName: z.string(), cardType: Kind, passNumbers: z.array(z.string()) }),
      ),
      failed: retrieving,
    },
    availability: {
      does: 'Answers whether a pass of this kind and number can be given: the first element is its status.',
      method: 'GET',
      path: '/api/smartcards/temporary/availability/:type/:passNumber',
      needs,
      input: z.object({ type: Kind, passNumber: PassNumber }),
      output: z.array(z.enum(availabilities)),
      failed: retrieving,
    },
    assignPositive: {
      does: 'Gives an available pass to a person of the tenancy, from the start of one day to 23:59:59 of another; one that they have ends as it begins.',
      title: 'Issue a positive pass',
      method: 'POST',
      path: '/api/smartcards/temporary/positive/assign',
      needs,
      created: true,
      input: Days.extend({ passNumber: PassNumber, userID: Id }),
      /** `ended`: the numbers of others that the person had and that this one takes the place of; they are to be taken back. */
      output: Pass.extend({ ended: z.array(z.string()) }),
      done: 'Temporary pass issued',
      failed: 'Failed to issue temporary pass',
      faults: {
        ...issueFaults,
        unknownPerson: { status: 400, says: 'There is no such person, or the account is disabled', field: 'userID' },
      },
    },
    assignGuest: {
      does: 'Gives an available pass to a guest by name, from the start of one day to 23:59:59 of another.',
      title: 'Issue a guest pass',
      method: 'POST',
      path: '/api/smartcards/temporary/guest/assign',
      needs,
      created: true,
      input: Days.extend({ passNumber: PassNumber, givenName: Line(80), lastName: Line(80) }),
      output: Pass,
      done: 'Temporary guest pass issued',
      failed: 'Failed to issue temporary guest pass',
      faults: issueFaults,
    },
    giveBack: {
      does: 'Takes a pass back from its holder: it is available again.',
      title: 'Return a pass',
      method: 'POST',
      path: '/api/smartcards/temporary/return',
      needs,
      input: z.object({ passNumber: PassNumber }),
      output: Pass,
      done: updated,
      failed: updating,
      faults: { missingPass, notIssued },
    },
    misplace: {
      does: 'Marks a pass as lost or stolen: nobody gets it until it is found.',
      title: 'Mark a pass as misplaced',
      method: 'POST',
      path: '/api/smartcards/temporary/misplaced',
      needs,
      input: z.object({ passNumber: PassNumber, reason: z.enum(misplacedReasons) }),
      output: Pass,
      done: updated,
      failed: updating,
      faults: {
        missingPass,
        misplacedAlready: { status: 409, says: 'The pass {passNumber} is lost or stolen already', field: 'passNumber' },
      },
    },
    activate: {
      does: 'Takes a pass out of use (inactive), or puts one that was found, or was out of use, back among the available ones (active).',
      title: 'Set the status of a pass',
      method: 'POST',
      path: '/api/smartcards/temporary/activation',
      needs,
      input: z.object({ passNumber: PassNumber, status: z.enum(['active', 'inactive']), reason: Paragraph(200).default('') }),
      output: Pass,
      done: updated,
      failed: updating,
      faults: {
        missingPass,
        isIssued: { status: 409, says: 'Somebody has the pass {passNumber}: take it back first', field: 'passNumber' },
      },
    },
    setExpiry: {
      does: 'Moves the end of an issued pass to 23:59:59 of another day.',
      title: 'Change the expiry of a pass',
      method: 'POST',
      path: '/api/smartcards/temporary/expiry',
      needs,
      input: z.object({ passNumber: PassNumber, expirationDate: Instant }),
      output: Pass,
      done: updated,
      failed: 'An error occurred while sending request to update smartcard expiry',
      faults: {
        missingPass,
        notIssued,
        ...dayFaults,
        holderGone: { status: 409, says: 'The account of its holder is disabled: take the pass {passNumber} back', field: 'passNumber' },
      },
    },
    printBatch: {
      does: 'Makes new passes of a kind with the next free numbers, and sends them to be printed; answers which numbers.',
      title: 'Print passes',
      method: 'POST',
      path: '/api/smartcards/temporary/batch/print',
      needs,
      created: true,
      input: z.object({
        quantity: z.number().int('Enter a whole number').min(1, 'At least 1').max(mostAtOnce, `At most ${mostAtOnce}`),
        cardType: Kind,
      }),
      output: z.object({ id: Id, passNumbers: z.array(z.string()) }),
      done: 'Successfully sent request to print temporary smartcards',
      failed: 'An error occurred while sending request to print temporary smartcards',
      faults: { noNumbers: { status: 409, says: `Only {left, number} numbers up to ${highestNumber} are free`, field: 'quantity' } },
    },
    prints: {
      does: 'Lists what was sent to be printed of passes: kind, numbers, who and when, the latest first.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchTemporaryPassPrints',
      needs,
      reads: true,
      input: PageQuery,
      output: pageOf(
        z.object({
          id: Id,
          cardType: Kind,
          quantity: z.number().int(),
          first: z.string(),
          last: z.string(),
          by: z.string(),
          at: Instant,
        }),
      ),
    },
    addStock: {
      does: 'Takes passes into stock that were printed elsewhere, by their first and last number; answers how many.',
      title: 'Take passes into stock',
      method: 'POST',
      path: '/api2/CMS-v2/AddTemporaryPasses',
      needs,
      input: z.object({ cardType: Kind, first: PassNumber, last: PassNumber }),
      output: z.object({ added: z.number().int() }),
      done: 'The passes are in stock',
      failed: 'The passes were not taken into stock',
      faults: {
        backwards: { status: 400, says: 'The last number comes before the first', field: 'last' },
        tooMany: { status: 400, says: `At most ${mostAtOnce} at once`, field: 'last' },
        taken: { status: 409, says: 'There is a pass with the number {passNumber} already', field: 'first' },
      },
    },
  },
  endpoints: {
    /** What is printed: a line for each number. */
    printList: { method: 'GET', path: '/api2/CMS-v2/TemporaryPassPrintList', needs },
  },
  jobs: {
    expiry: { title: 'Tell of passes that were not returned in time', every: '*/10 * * * *' },
  },
  events: {
    assigned: { says: 'Issued a pass', body: Changed.extend({ userId: Id.optional(), until: Instant }) },
    returned: { says: 'Took a pass back', body: Changed },
    misplaced: { says: 'Marked a pass as misplaced', body: Changed.extend({ reason: z.enum(misplacedReasons), userId: Id.optional() }) },
    activated: { says: 'Put a pass into use', body: Changed },
    deactivated: { says: 'Took a pass out of use', body: Changed },
    expiryChanged: { says: 'Changed the expiry of a pass', body: Changed.extend({ until: Instant }) },
    recalled: {
      says: 'A pass ended, and is to be returned',
      body: Changed.extend({ userId: Id.optional(), until: Instant, why: z.enum(['disabled', 'another']) }),
    },
    expired: { says: 'A pass was not returned in time', body: Changed.extend({ userId: Id.optional() }) },
    printed: { says: 'Sent passes to be printed', body: z.object({ printId: Id, quantity: z.number().int(), cardType: Kind }) },
    stocked: { says: 'Took passes into stock', body: z.object({ added: z.number().int(), first: z.string(), last: z.string() }) },
  },
})
