import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { searchScreen } from '#core/contract/search.ts'
import { Instant, Line } from '#core/contract/shapes.ts'

const Found = z.object({
  /** The name of its kind: `certificate`. */
  type: z.string(),
  id: z.string(),
  label: z.string(),
  detail: z.string(),
  path: z.string(),
  status: z.string().optional(),
  from: Instant.optional(),
})

const Text = z.string().trim().min(1, 'Enter what to search for').max(200, 'Use at most 200 characters')

export const SavedView = z.object({
  /** The list's name in the console: `users.all`. */
  list: Line(60),
  name: Line(60),
  path: z
    .string()
    .max(200)
    .regex(/^\/(?![/\\])/, 'Enter a path of this console'),
  query: z.string().max(2000),
})

export const search = contract({
  area: 'search',
  title: 'Search',
  screens: {
    // The lists of the kinds of records stand under its addresses, each with the permission that its room gives it.
    search: { path: searchScreen.path, needs: 'search', title: 'Search', parent: 'home.home' },
  },
  calls: {
    records: {
      does: 'Searches everything that the caller may see and answers the records with the addresses of their pages.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchRecords',
      needs: 'search',
      reads: true,
      input: z.strictObject({ text: Text }),
      /** At most 100, of the kinds that the viewer may see. */
      output: z.object({ records: z.array(Found) }),
      failed: 'The search failed',
    },
    find: {
      does: 'Finds records of every kind that the caller may see by a few letters, at most 100 shared evenly among the kinds.',
      method: 'POST',
      path: '/api2/IDM-v1/FindRecords',
      // The palette is everybody's; each kind asks for its own permission.
      needs: 'signedIn',
      tokens: 'any',
      reads: true,
      input: z.strictObject({ text: Text }),
      /** At most 100, of the kinds that the viewer may see. */
      output: z.object({ records: z.array(Found) }),
    },
    facets: {
      does: 'Answers how many records of each status there are, by kind, of the kinds that the caller may see.',
      method: 'GET',
      path: '/api2/IDM-v1/RecordFacets',
      needs: 'search',
      input: z.object({}),
      output: z.object({ kinds: z.array(z.object({ type: z.string(), status: z.record(z.string(), z.number().int()) })) }),
    },
    views: {
      does: 'Answers the views of lists that the caller has saved.',
      method: 'GET',
      path: '/api2/IDM-v1/SearchViews',
      needs: 'signedIn',
      home: true,
      input: z.object({}),
      output: z.object({ views: z.array(SavedView) }),
    },
    keepView: {
      does: 'Saves a view of a list under a name, for the caller alone; one of the same name is replaced.',
      title: 'Save a view',
      method: 'PUT',
      path: '/api2/IDM-v1/SearchView',
      needs: 'signedIn',
      home: true,
      input: SavedView,
      output: z.object({}),
      failed: 'The view was not saved',
      faults: { tooMany: { status: 409, says: 'You have {most} saved views. Remove one first' } },
    },
    removeView: {
      does: 'Removes one of the caller’s saved views.',
      title: 'Remove a saved view',
      method: 'DELETE',
      path: '/api2/IDM-v1/SearchView',
      needs: 'signedIn',
      home: true,
      input: SavedView.pick({ list: true, name: true }),
      output: z.object({}),
      failed: 'The view was not removed',
    },
  },
  events: {
    viewKept: { says: 'Saved a view', body: z.object({ list: z.string(), name: z.string() }) },
    viewRemoved: { says: 'Removed a saved view', body: z.object({ list: z.string(), name: z.string() }) },
  },
})
