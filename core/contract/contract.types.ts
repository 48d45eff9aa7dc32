// What the contract's types refuse. Each `@ts-expect-error` is a test: where the line below it compiles, the compiler complains.

import * as z from 'zod'
import { contract, type DraftOf, type FaultOf, type InputOf, type OutputOf } from './contract.ts'
import { to } from './paths.ts'

const parcels = contract({
  area: 'parcels',
  title: 'Parcels',
  screens: {
    list: { path: '/parcels', needs: 'signedIn', title: 'Parcels', menu: { group: 'support', entry: 'tickets' } },
    view: { path: '/parcels/:id/view', needs: 'ticketView', title: 'Parcel', parent: 'list' },
    track: { path: '/parcels/:id/track/:step?', needs: 'public', title: 'Track' },
    search: { path: '/parcels/search/:kind?', needs: 'search', title: 'Search', parent: 'search.search' },
  },
  calls: {
    add: {
      does: 'Add.',
      title: 'Add',
      method: 'POST',
      path: '/api2/Test-v1/Parcel',
      needs: 'ticketAdd',
      input: z.object({ title: z.string(), weight: z.number().default(1) }),
      output: z.object({ parcelId: z.string(), fragile: z.boolean().default(false) }),
      faults: { tooHeavy: { status: 409, says: 'Too heavy' } },
    },
    plain: { does: 'Plain.', method: 'GET', path: '/api2/Test-v1/Parcel', needs: 'public', input: z.object({}), output: z.object({}) },
  },
  events: { added: { says: 'Added', body: z.object({ parcelId: z.string() }) } },
})

// A call, a screen and an event keep their own names.
const area: 'parcels' = parcels.area
const name: string = parcels.calls.add.name
// @ts-expect-error there is no such call
parcels.calls.remove
// @ts-expect-error there is no such screen
parcels.screens.edit
// @ts-expect-error there is no such event
parcels.events.removed

// Input, draft and answer.
const draft: DraftOf<typeof parcels.calls.add> = { title: 'Books' }
const input: InputOf<typeof parcels.calls.add> = { title: 'Books', weight: 2 }
const answer: OutputOf<typeof parcels.calls.add> = { parcelId: '7', fragile: true }
// @ts-expect-error the title is missing
const noTitle: DraftOf<typeof parcels.calls.add> = { weight: 2 }
// @ts-expect-error the weight is a number
const heavy: DraftOf<typeof parcels.calls.add> = { title: 'Books', weight: 'heavy' }
// @ts-expect-error there is no such field
const colourful: DraftOf<typeof parcels.calls.add> = { title: 'Books', colour: 'red' }
// @ts-expect-error what the handler reads has its default already
const noWeight: InputOf<typeof parcels.calls.add> = { title: 'Books' }
// @ts-expect-error the id is missing
const noId: OutputOf<typeof parcels.calls.add> = { fragile: false }

// Faults.
const fault: FaultOf<typeof parcels.calls.add> = 'tooHeavy'
// @ts-expect-error the fault is misspelt
const misspelt: FaultOf<typeof parcels.calls.add> = 'tooHeawy'
// @ts-expect-error a call without faults has none
const none: FaultOf<typeof parcels.calls.plain> = 'tooHeavy'

// Links.
to(parcels.screens.list)
to(parcels.screens.list, undefined, { text: 'books' })
to(parcels.screens.view, { id: '7' })
to(parcels.screens.view, { id: '7' }, { tab: 'history', page: 2 })
to(parcels.screens.track, { id: '7' })
to(parcels.screens.track, { id: '7', step: '2' })
to(parcels.screens.search)
to(parcels.screens.search, { kind: 'books' })
// @ts-expect-error the id is missing
to(parcels.screens.view)
// @ts-expect-error the id is missing
to(parcels.screens.view, {})
// @ts-expect-error the parameter is misspelt
to(parcels.screens.view, { idd: '7' })
// @ts-expect-error an id is text
to(parcels.screens.view, { id: 7 })
// @ts-expect-error the id is needed, the step is not
to(parcels.screens.track, { step: '2' })
// @ts-expect-error a query holds no objects
to(parcels.screens.list, undefined, { text: { deep: true } })

// The contract itself.
const wrong = { area: 'wrong', title: 'Wrong' } as const
// @ts-expect-error there is no such permission
contract({ ...wrong, screens: { list: { path: '/', needs: 'ticketFrobnicate', title: 'Wrong', parent: 'home.home' } } })
const words = { does: 'Adds.', title: 'Add' } as const
const bare = { path: '/', needs: 'public', input: z.object({}), output: z.object({}) } as const
const add = { ...words, ...bare, method: 'POST' } as const
// @ts-expect-error there is no such method
contract({ area: 'wrong', title: 'Wrong', calls: { add: { ...words, ...bare, method: 'BREW' } } })
// @ts-expect-error a call answers something
contract({ area: 'wrong', title: 'Wrong', calls: { add: { ...words, method: 'POST', path: '/', needs: 'public', input: z.object({}) } } })
// @ts-expect-error a call says what it does
contract({ area: 'wrong', title: 'Wrong', calls: { add: { ...bare, method: 'POST', title: 'Add' } } })
// @ts-expect-error a call that changes something has a title in the log
contract({ area: 'wrong', title: 'Wrong', calls: { add: { ...bare, method: 'POST', does: 'Adds.' } } })
// @ts-expect-error the log never shows a call that reads
contract({ area: 'wrong', title: 'Wrong', calls: { add: { ...add, reads: true } } })
// @ts-expect-error the log shows a call that reads where its refusals are recorded
contract({ area: 'wrong', title: 'Wrong', calls: { add: { ...bare, method: 'POST', does: 'Adds.', reads: true, watched: true } } })
// @ts-expect-error an endpoint that changes something has a title in the log
contract({ area: 'wrong', title: 'Wrong', endpoints: { add: { method: 'POST', path: '/', needs: 'public' } } })
// @ts-expect-error an event says what happened
contract({ area: 'wrong', title: 'Wrong', events: { added: { body: z.object({}) } } })
// @ts-expect-error a room has a title
contract({ area: 'wrong', calls: { add } })
// @ts-expect-error a fault has a status
contract({ area: 'wrong', title: 'Wrong', calls: { add: { ...add, faults: { late: { says: 'Late' } } } } })
const here = { path: '/', needs: 'search', title: 'Wrong' } as const
// @ts-expect-error there is no such group in the menu
contract({ ...wrong, screens: { list: { ...here, menu: { group: 'attic', entry: 'keys' } } } })
// @ts-expect-error the group has no such entry
contract({ ...wrong, screens: { list: { ...here, menu: { group: 'pki', entry: 'inventory' } } } })
// @ts-expect-error a screen of the console stands in the menu or below another
contract({ ...wrong, screens: { list: here } })
// @ts-expect-error there is no such screen in this contract
contract({ ...wrong, screens: { list: { ...here, parent: 'home.home' }, view: { ...here, parent: 'lists' } } })
// @ts-expect-error there is no such room
contract({ ...wrong, screens: { view: { ...here, parent: 'attics.list' } } })
// @ts-expect-error what stands in the menu has no parent besides
contract({ ...wrong, screens: { list: { ...here, menu: { group: 'pki', entry: 'keys' }, parent: 'home.home' } } })

export const tried = { area, name, draft, input, answer, noTitle, heavy, colourful, noWeight, noId, fault, misspelt, none }
