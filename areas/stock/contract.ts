import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, OptionalLine, pageOf, PageQuery } from '#core/contract/shapes.ts'
import { mostAtOnce, movedStates, stockStates, surplusKinds } from './rules.ts'

const needs = 'smartcardManage'

const Serial = Line(64).regex(/^[\x21-\x7e]+$/, 'Enter the serial number as it stands on the card, without spaces')
const Range = z.object({ first: Serial, last: Serial })

const PlaceRow = z.object({
  id: Id,
  name: z.string(),
  custodian: z.object({ id: Id, name: z.string() }).optional(),
  blank: z.number().int(),
  returned: z.number().int(),
  countedAt: Instant.optional(),
})
const PlaceDraft = z.object({ name: Line(80), custodianId: Id.optional() })

const Counted = z.object({
  id: Id,
  placeName: z.string(),
  by: z.string(),
  at: Instant,
  expected: z.number().int(),
  found: z.number().int(),
  missing: z.number().int(),
  surplus: z.number().int(),
})

const badRange = {
  status: 400,
  says: `Enter a first and a last number of the same kind, such as A-0001 and A-0100; at most ${mostAtOnce.toLocaleString('en')} at once`,
  field: 'last',
} as const
const unknownPlace = { status: 400, says: 'There is no such place', field: 'placeId' } as const
const nameTaken = { status: 409, says: 'A place with this name exists', field: 'name', constraint: 'stock_places_by_name' } as const
const unknownCustodian = { status: 400, says: 'There is no such person', field: 'custodianId' } as const

export const stock = contract({
  area: 'stock',
  title: 'Stock',
  screens: {
    list: {
      path: '/credentials/smartcards/stock',
      needs,
      title: 'Cards in stock',
      menu: { group: 'cards', entry: 'stock', tab: 'Cards', place: 10 },
      also: 'blank cards, serial numbers, inventory of cards, destroyed cards',
    },
    places: {
      path: '/credentials/smartcards/stock/places',
      needs,
      title: 'Places of cards',
      menu: { group: 'cards', entry: 'stock', tab: 'Places', place: 20 },
      also: 'safe, drawer, custody, custodian',
    },
    counts: {
      path: '/credentials/smartcards/stock/counts',
      needs,
      title: 'Counts of stock',
      menu: { group: 'cards', entry: 'stock', tab: 'Counts', place: 30 },
      also: 'stocktaking, missing cards',
    },
  },
  calls: {
    search: {
      does: 'Lists cards in stock as ranges of serial numbers, by serial number, place and state.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchStock',
      needs,
      reads: true,
      input: PageQuery.extend({ placeId: Id.optional(), state: z.enum(stockStates).optional() }),
      output: pageOf(
        z.object({
          first: z.string(),
          last: z.string(),
          count: z.number().int(),
          state: z.enum(stockStates),
          placeId: Id,
          placeName: z.string(),
          changedAt: Instant,
        }),
      ),
    },
    takeIn: {
      does: 'Takes new cards into stock by their first and last serial number; answers how many.',
      title: 'Take cards into stock',
      method: 'POST',
      path: '/api2/CMS-v2/TakeStock',
      needs,
      /** Without a last one it is one card. */
      input: Range.extend({ last: Serial.optional(), placeId: Id }),
      output: z.object({ added: z.number().int() }),
      done: 'The cards are in stock',
      failed: 'The cards were not taken into stock',
      faults: {
        badRange,
        noNumber: { status: 400, says: 'A serial number in stock ends in digits, such as A-0001', field: 'first' },
        unknownPlace,
        known: { status: 409, says: 'The card {serial} is in stock already. None was added', field: 'first' },
      },
    },
    takeOut: {
      does: 'Takes cards out of stock that were taken in by mistake, all of them or none, as if they had never been there; answers how many. Only blank ones.',
      title: 'Take cards out of stock',
      method: 'POST',
      path: '/api2/CMS-v2/RemoveStock',
      needs,
      input: Range.extend({ reason: Line(200) }),
      output: z.object({ removed: z.number().int() }),
      done: 'The cards are in stock no more',
      failed: 'The cards were not taken out of stock',
      faults: {
        badRange,
        missingCard: { status: 409, says: 'The card {serial} is not in stock. None was taken out', field: 'first' },
        notBlank: { status: 409, says: 'The card {serial} is not blank: it was in use. None was taken out', field: 'first' },
      },
    },
    move: {
      does: 'Moves cards of a range to a place, or makes them returned or destroyed, all of them or none; answers how many.',
      title: 'Move cards in stock',
      method: 'POST',
      path: '/api2/CMS-v2/MoveStock',
      needs,
      input: Range.extend({ placeId: Id, state: z.enum(movedStates).optional(), reason: OptionalLine(200) }),
      output: z.object({ moved: z.number().int() }),
      done: 'The cards were moved',
      failed: 'The cards were not moved',
      faults: {
        badRange,
        unknownPlace,
        missingCard: { status: 409, says: 'The card {serial} is not in stock. None was moved', field: 'first' },
        withPerson: { status: 409, says: 'The card {serial} is with a person. None was moved', field: 'first' },
        gone: { status: 409, says: 'The card {serial} is destroyed. None was moved', field: 'first' },
        reasonNeeded: { status: 400, says: 'Say why the cards are destroyed', field: 'reason' },
      },
    },
    places: {
      does: 'Lists the places of cards with their custodians and how many cards lie there.',
      method: 'GET',
      path: '/api2/CMS-v2/StockPlaces',
      needs,
      input: z.object({}),
      output: z.object({ places: z.array(PlaceRow) }),
    },
    addPlace: {
      does: 'Adds a place of cards; answers its id.',
      title: 'Add a place of cards',
      method: 'POST',
      path: '/api2/CMS-v2/StockPlace',
      needs,
      input: PlaceDraft,
      output: z.object({ id: Id }),
      done: 'The place was added',
      failed: 'The place was not added',
      faults: { nameTaken, unknownCustodian },
    },
    changePlace: {
      does: 'Changes the name of a place of cards, or hands it to another custodian.',
      title: 'Change a place of cards',
      method: 'PUT',
      path: '/api2/CMS-v2/StockPlace',
      needs,
      input: PlaceDraft.extend({ id: Id }),
      output: z.object({}),
      done: 'The place was changed',
      failed: 'The place was not changed',
      faults: { nameTaken, unknownCustodian },
    },
    removePlace: {
      does: 'Removes a place that no card names.',
      title: 'Remove a place of cards',
      method: 'DELETE',
      path: '/api2/CMS-v2/StockPlace',
      needs,
      input: z.object({ id: Id }),
      output: z.object({}),
      done: 'The place was removed',
      failed: 'The place was not removed',
      faults: { inUse: { status: 409, says: 'Cards belong to this place. Move them first' } },
    },
    count: {
      does: 'Compares the cards that were found in a place with those that should lie there, and keeps the result. Changes no card.',
      title: 'Count cards in stock',
      method: 'POST',
      path: '/api2/CMS-v2/CountStock',
      needs,
      input: z.object({
        placeId: Id,
        /** Serial numbers, or ranges such as `A-0001..A-0100`. */
        found: z.array(z.string().trim().min(1).max(140)).max(mostAtOnce, `At most ${mostAtOnce.toLocaleString('en')} lines`),
      }),
      output: Counted.extend({
        /** The first of them. */
        missingSerials: z.array(z.string()),
        surplusSerials: z.array(z.object({ serial: z.string(), why: z.enum(surplusKinds) })),
      }),
      done: 'The count is on record',
      failed: 'The stock was not counted',
      faults: {
        unknownPlace,
        badLine: { status: 400, says: '"{line}" is no serial number and no range', field: 'found' },
        tooMany: { status: 400, says: `At most ${mostAtOnce.toLocaleString('en')} cards at once`, field: 'found' },
      },
    },
    counts: {
      does: 'Lists counts of stock, the latest first.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchStockCounts',
      needs,
      reads: true,
      input: PageQuery.omit({ text: true }),
      output: pageOf(Counted),
    },
  },
  events: {
    takenIn: {
      says: 'Took cards into stock',
      body: z.object({ first: z.string(), last: z.string(), placeId: Id, count: z.number().int() }),
    },
    takenOut: {
      says: 'Took cards out of stock that were taken in by mistake',
      body: z.object({ first: z.string(), last: z.string(), count: z.number().int(), reason: z.string() }),
    },
    moved: {
      says: 'Moved cards in stock',
      body: z.object({
        first: z.string(),
        last: z.string(),
        placeId: Id,
        count: z.number().int(),
        state: z.enum(movedStates).optional(),
        reason: z.string(),
      }),
    },
    followed: { says: 'Noted in stock what became of a card', body: z.object({ serial: z.string(), state: z.enum(stockStates) }) },
    placeAdded: { says: 'Added a place of cards', body: z.object({ placeId: Id, name: z.string(), custodianId: Id.optional() }) },
    placeChanged: { says: 'Changed a place of cards', body: z.object({ placeId: Id, name: z.string(), custodianId: Id.optional() }) },
    placeRemoved: { says: 'Removed a place of cards', body: z.object({ placeId: Id, name: z.string() }) },
    counted: {
      says: 'Counted cards in stock',
      body: z.object({ countId: Id, placeId: Id, missing: z.number().int(), surplus: z.number().int() }),
    },
  },
})
