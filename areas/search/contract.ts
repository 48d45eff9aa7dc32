import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { searchScreen } from '#core/contract/search.ts'
import { Line } from '#core/contract/shapes.ts'
import { recordTypes } from './rules.ts'

const Record = z.object({ type: z.enum(recordTypes), id: z.string(), label: z.string(), detail: z.string(), path: z.string() })

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
    search: {
      path: searchScreen.path,
      needs: 'search',
      title: 'Search',
      menu: { group: 'certificates', label: 'Inventory', place: 10, params: { searchType: 'certificate' } },
    },
    // The same screen under two of its addresses, for the menu: who may not see people or roles is not led there.
    users: { path: '/search/user', needs: 'userView', title: 'Users', menu: { group: 'identities' } },
    roles: { path: '/search/role', needs: 'roleView', title: 'Roles', menu: { group: 'identities' } },
  },
  calls: {
    records: {
      does: 'Searches everything that the caller may see and answers the records with the addresses of their pages.',
      method: 'POST',
      path: '/api2/IDM-v1/SearchRecords',
      needs: 'search',
      reads: true,
      input: z.strictObject({ text: z.string().trim().min(1, 'Enter what to search for').max(200, 'Use at most 200 characters') }),
      /** At most 100, the types that the viewer may see. */
      output: z.object({ records: z.array(Record) }),
      failed: 'The search failed',
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
