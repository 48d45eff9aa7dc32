import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery, SelectionShape, sortedBy } from '#core/contract/shapes.ts'
import { cardSteps, longestPhoto, mostPeople, obstacles, requestStates } from './rules.ts'

const needs = 'smartcardRequest'

const RequestRow = z.object({
  id: Id,
  state: z.enum(requestStates),
  person: z.object({ id: Id, name: z.string(), username: z.string() }),
  cardTemplateId: Id,
  cardTemplateName: z.string(),
  dueDate: Instant.optional(),
  deliverTo: z.string(),
  by: z.string(),
  madeAt: Instant,
  hasPhoto: z.boolean(),
})

/** A data URL of a JPEG, PNG, GIF or BMP, as forms send it. */
const Photo = z.string().max(longestPhoto, 'The photo is larger than 10 MB')
const photoFaults = {
  small: {
    status: 400,
    says: 'The photo is too small: upright it has {width} by {height} pixels, and a card needs 240 by 320',
    field: 'photo',
  },
  wide: { status: 400, says: 'The photo is too wide for a card. Cut it to 3 wide by 4 high, such as 600 by 800 pixels', field: 'photo' },
  narrow: {
    status: 400,
    says: 'The photo is too narrow for a card. Cut it to 3 wide by 4 high, such as 600 by 800 pixels',
    field: 'photo',
  },
} as const

export const cardrequests = contract({
  area: 'cardrequests',
  title: 'Card requests',
  screens: {
    request: {
      path: '/credentials/smartcards/request',
      needs,
      title: 'Request smartcards',
      menu: { group: 'cards', entry: 'requests', tab: 'Request', place: 10 },
      also: 'order cards, cards for many people',
    },
    list: {
      path: '/credentials/smartcards/request/list',
      needs,
      title: 'Card requests',
      menu: { group: 'cards', entry: 'requests', tab: 'All requests', place: 20 },
    },
  },
  calls: {
    request: {
      does: 'Requests smartcards for the people that are selected, or with `dryRun` only says who can get one and who cannot, and why.',
      title: 'Request smartcards',
      method: 'POST',
      path: '/api/dps/smartcard-request',
      needs,
      input: SelectionShape.extend({
        /** People by username or e-mail address, as they were pasted. */
        bulkInclusionList: z.array(Line(254)).max(mostPeople, 'At most 10,000 people').default([]),
        options: z.object({
          cardTemplateId: Id,
          dueDate: Instant.optional(),
          deliverTo: OptionalLine(120),
          dryRun: z.boolean().default(false),
          /** Of `selectAll`: what the list of people was asked. */
          query: z
            .object({
              text: z.string().max(200).default(''),
              status: z.enum(['active', 'invited', 'disabled']).optional(),
              roleId: Id.optional(),
            })
            .default({ text: '' }),
        }),
      }),
      output: z.object({
        dryRun: z.boolean(),
        /** How many get one, or got one. */
        requested: z.number().int(),
        /** How many cannot, and of the first of them who and why. */
        refused: z.number().int(),
        cannot: z.array(z.object({ userId: Id.optional(), name: z.string(), reason: z.enum(obstacles) })),
      }),
      done: 'Successfully processed smartcard request',
      failed: 'An error occurred while sending smartcard request',
      faults: {
        unknownTemplate: { status: 400, says: 'There is no such template of cards, or it is not in use', field: 'options.cardTemplateId' },
        dueBefore: { status: 400, says: 'This day is over', field: 'options.dueDate' },
        nobody: { status: 400, says: 'Choose at least one person' },
        tooMany: { status: 400, says: 'At most 10,000 people at once. Narrow the selection' },
      },
    },
    templates: {
      does: 'Answers the templates of cards that can be requested.',
      method: 'GET',
      path: '/api2/CMS-v2/RequestableCardTemplates',
      needs,
      input: z.object({}),
      output: z.object({ cardTemplates: z.array(z.object({ cardTemplateId: Id, name: z.string() })) }),
    },
    ownTemplates: {
      does: 'Answers the templates of cards that the caller can request for the own person, and what is in the way of the others.',
      method: 'GET',
      path: '/api2/CMS-v2/OwnRequestableCardTemplates',
      needs: 'selfServicePortal',
      home: true,
      input: z.object({}),
      output: z.object({
        cardTemplates: z.array(z.object({ cardTemplateId: Id, name: z.string(), obstacle: z.enum(['requested', 'hasCard']).optional() })),
      }),
    },
    requestOwn: {
      does: 'Requests a smartcard of a template for the caller. The card desk sees the request; nothing is issued by it.',
      title: 'Request own smartcard',
      method: 'POST',
      path: '/api2/CMS-v2/RequestOwnCard',
      needs: 'selfServicePortal',
      home: true,
      ownTransactions: true,
      bodyLimit: longestPhoto + 10_000,
      input: z.object({ cardTemplateId: Id, photo: Photo.optional() }),
      output: z.object({ requestId: Id }),
      done: 'Your smartcard is requested',
      failed: 'Your smartcard was not requested',
      faults: {
        unknownTemplate: { status: 400, says: 'There is no such template of cards, or it is not in use', field: 'cardTemplateId' },
        requested: { status: 409, says: 'You have requested such a card already', field: 'cardTemplateId' },
        hasCard: { status: 409, says: 'You have such a card already', field: 'cardTemplateId' },
        ...photoFaults,
      },
    },
    checkPhoto: {
      does: 'Says at once whether a picture can be the photo on a card, and answers it as it would be kept. Nothing is kept.',
      method: 'POST',
      path: '/api2/CMS-v2/CheckCardPhoto',
      needs: 'selfServicePortal',
      home: true,
      reads: true,
      ownTransactions: true,
      bodyLimit: longestPhoto + 10_000,
      input: z.object({ photo: Photo }),
      output: z.object({ photo: z.string(), width: z.number().int(), height: z.number().int() }),
      failed: 'This photo cannot be used',
      faults: photoFaults,
    },
    own: {
      does: 'Lists the requests of the caller for smartcards with how far each card is, the latest first.',
      method: 'GET',
      path: '/api2/CMS-v2/OwnCardRequests',
      needs: 'selfServicePortal',
      home: true,
      input: z.object({}),
      output: z.object({
        requests: z.array(
          z.object({
            id: Id,
            cardTemplateName: z.string(),
            step: z.enum(cardSteps),
            deliverTo: z.string(),
            dueDate: Instant.optional(),
            madeAt: Instant,
            hasPhoto: z.boolean(),
          }),
        ),
      }),
    },
    withdrawOwn: {
      does: 'Withdraws an open request of the caller for a smartcard.',
      title: 'Withdraw own card request',
      method: 'POST',
      path: '/api2/CMS-v2/WithdrawOwnCardRequest',
      needs: 'selfServicePortal',
      home: true,
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'Your request is withdrawn',
      failed: 'Your request was not withdrawn',
    },
    search: {
      does: 'Lists requests for smartcards by name of the person, state and template, the latest first.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchCardRequests',
      needs,
      reads: true,
      input: PageQuery.extend({
        sort: sortedBy('madeAt', 'dueDate'),
        state: z.enum(requestStates).optional(),
        cardTemplateId: Id.optional(),
      }),
      output: pageOf(RequestRow),
    },
    withdraw: {
      does: 'Withdraws open requests for smartcards; answers how many were open.',
      title: 'Withdraw card requests',
      method: 'POST',
      path: '/api2/CMS-v2/WithdrawCardRequests',
      needs,
      input: z.object({ ids: z.array(Id).min(1).max(500) }),
      output: z.object({ withdrawn: z.number().int() }),
      failed: 'The requests were not withdrawn',
    },
  },
  endpoints: {
    /** `?id=` of a request. */
    photo: { method: 'GET', path: '/api2/CMS-v2/CardRequestPhoto', needs },
  },
  events: {
    requested: {
      says: 'Requested a smartcard',
      body: z.object({ requestId: Id, userId: Id, cardTemplateId: Id }),
    },
    withdrawn: { says: 'Withdrew a card request', body: z.object({ requestId: Id, userId: Id }) },
    fulfilled: { says: 'A requested card was issued', body: z.object({ requestId: Id, userId: Id }) },
  },
})
