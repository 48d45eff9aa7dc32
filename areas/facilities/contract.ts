import * as z from 'zod'
import { cardStatuses } from '#areas/smartcards/rules.ts'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, pageOf, PageQuery, sortedBy } from '#core/contract/shapes.ts'
import { syncStates } from './rules.ts'

const needs = 'configureTeSA'

export const facilities = contract({
  area: 'facilities',
  title: 'Facility directory',
  screens: {
    search: {
      path: '/safd/searchsafd',
      needs,
      title: 'Facility directory',
      menu: { group: 'doors', entry: 'directory' },
      also: 'SAFD search, card serial number, CSN',
    },
  },
  calls: {
    search: {
      does: 'Lists the directory of card serial numbers with holder, location and whether each is in step with its card.',
      method: 'POST',
      path: '/api2/CMS-v2/SearchSafd',
      needs,
      reads: true,
      input: PageQuery.extend({ sort: sortedBy('csn', 'writtenAt'), locationId: Id.optional() }),
      output: pageOf(
        z.object({
          csn: z.string(),
          cardId: Id,
          status: z.enum(cardStatuses),
          holderId: z.string(),
          holder: z.string(),
          locationId: z.string(),
          location: z.string(),
          inStep: z.boolean(),
          writtenAt: Instant,
        }),
      ),
    },
    state: {
      does: 'Answers how the last synchronisation of the directory went, and the locations that a card can be said to belong to.',
      method: 'GET',
      path: '/api2/CMS-v2/SafdSync',
      needs,
      input: z.object({}),
      output: z.object({
        state: z.enum(syncStates),
        added: z.number().int(),
        changed: z.number().int(),
        removed: z.number().int(),
        same: z.number().int(),
        startedAt: Instant.optional(),
        endedAt: Instant.optional(),
        locations: z.array(z.object({ id: Id, path: z.string() })),
      }),
    },
    sync: {
      does: 'Begins to compare all cards of the tenancy with the directory; answers nothing. What differs is written in the background.',
      title: 'Synchronise the facility directory',
      method: 'POST',
      path: '/api2/CMS-v2/SyncTenancyCSNtoSafd',
      needs,
      input: z.object({}),
      output: z.object({}),
      done: 'The synchronisation begins',
      failed: 'The synchronisation was not begun',
      faults: { running: { status: 409, says: 'It is being synchronised already' } },
    },
    place: {
      does: 'Says at which location a card is used, or that it is at none; answers nothing.',
      title: 'Place a card in the facility directory',
      method: 'PUT',
      path: '/api2/CMS-v2/SafdLocation',
      needs,
      input: z.object({ csn: Line(120), locationId: z.union([Id, z.literal('')]) }),
      output: z.object({}),
      done: 'The location was saved',
      failed: 'The location was not saved',
      faults: { unknownLocation: { status: 404, says: 'There is no location with this id', field: 'locationId' } },
    },
  },
  jobs: { sync: { title: 'Synchronise the facility directory', every: '17 2 * * *' } },
  events: {
    syncStarted: { says: 'Began to synchronise the facility directory', body: z.object({}) },
    synced: {
      says: 'Synchronised the facility directory',
      body: z.object({ added: z.number().int(), changed: z.number().int(), removed: z.number().int(), same: z.number().int() }),
    },
    placed: { says: 'Placed a card in the facility directory', body: z.object({ csn: z.string(), location: z.string() }) },
  },
})
