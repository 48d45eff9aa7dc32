// What `serve` refuses at compile time. Each `@ts-expect-error` is a test: where the line below it compiles, the compiler complains.

import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { say } from '#standards/say/say.ts'
import type { House } from './house.ts'
import { on, serve, type Handlers, type RecordSources, type StreamHandlers } from './serve.ts'

const Parcel = z.object({ parcelId: z.string(), fragile: z.boolean().default(false) })

const parcels = contract({
  area: 'parcels',
  title: 'Parcels',
  calls: {
    add: {
      does: 'Add.',
      title: 'Add',
      method: 'POST',
      path: '/api2/Test-v1/Parcel',
      needs: 'ticketAdd',
      input: z.object({ title: z.string() }),
      output: Parcel,
      faults: { tooHeavy: { status: 409, says: say`Too heavy` } },
    },
    seal: {
      does: 'Seal.',
      title: 'Seal',
      method: 'POST',
      path: '/api2/Test-v1/Seal',
      needs: 'ticketEdit',
      input: z.object({}),
      output: z.object({}),
      ownTransactions: true,
    },
    track: {
      does: 'Track.',
      method: 'GET',
      path: '/api2/Test-v1/Track',
      needs: 'public',
      input: z.object({}),
      output: z.object({ username: z.string() }),
    },
  },
  jobs: { deliver: { title: 'Deliver parcels', every: '* * * * *' } },
  endpoints: { label: { method: 'GET', path: '/api2/Test-v1/Label', needs: 'signedIn' } },
  streams: {
    follow: { path: '/stream/parcel', needs: 'signedIn', input: z.object({ parcelId: z.string() }), event: z.object({ at: z.string() }) },
  },
  events: { added: { says: 'Added', body: z.object({ parcelId: z.string() }) } },
})

type All = Handlers<typeof parcels>

// Right: each handler is given what its contract says.
export const right: All = {
  async add({ title }, { viewer, db, emit, afterCommit, fault }) {
    if (title === '') fault('tooHeavy', { fields: [{ field: 'title', says: say`Enter a title` }] })
    if (db.isTransaction && viewer.userId === '') fault('missing')
    emit('added', { parcelId: title }, title)
    afterCommit(() => {})
    return { parcelId: title }
  },
  async seal(_input, { transact, viewer }) {
    await transact(async ({ emit }) => emit('added', { parcelId: viewer.userId }))
    return {}
  },
  async track(_input, { viewer, enter, actAs }) {
    await enter('')
    actAs({ userId: '', name: '' })
    return { username: viewer?.username ?? '' }
  },
}

export const wrong: Partial<All>[] = [
  {
    // @ts-expect-error the answer lacks the parcel's id
    add: async () => ({ fragile: true }),
  },
  {
    // @ts-expect-error the answer's field is of another kind
    add: async () => ({ parcelId: 7 }),
  },
  {
    async add(draft, context) {
      // @ts-expect-error there is no such field in the input
      draft.colour
      // @ts-expect-error the fault is misspelt
      context.fault('tooHeawy')
      // @ts-expect-error the event is misspelt
      context.emit('aded', { parcelId: '' })
      // @ts-expect-error the event's field is misspelt
      context.emit('added', { parcel: '' })
      // @ts-expect-error only a call that asks for its own transactions chooses them
      context.transact
      // @ts-expect-error only a public call enters a tenancy
      await context.enter('')
      // A call of who has signed in is given its tenancy.
      const { tenantId, now } = context.tenancy
      if (tenantId !== context.viewer.tenantId) context.tenancy.db.isTransaction satisfies boolean
      now satisfies Date
      // @ts-expect-error an open transaction knows no table by itself
      context.db.selectFrom('users')
      return { parcelId: '' }
    },
  },
  {
    async seal(_input, context) {
      // @ts-expect-error a call with its own transactions has none open
      context.db
      // @ts-expect-error nor an event outside one
      context.emit('added', { parcelId: '' })
      // @ts-expect-error this call has no fault of its own
      context.fault('tooHeavy')
      return {}
    },
  },
  {
    // @ts-expect-error a public call knows no tenancy when it begins
    track: async (_input, { tenancy }) => ({ username: tenancy.tenantId }),
  },
  {
    // @ts-expect-error on a public call there may be no viewer
    track: async (_input, { viewer }) => ({ username: viewer.username }),
  },
]

const streams: StreamHandlers<typeof parcels> = {
  async *follow({ parcelId }) {
    yield { at: parcelId }
  },
}

const endpoints = { label: { handle: async () => ({ body: '' }) } }

const jobs = { deliver: { inTenancy: async () => {} } }

on(parcels.events.added, async ({ tenantId, body }, house) => house.log.info({ tenantId, parcel: body.parcelId.length }))
// @ts-expect-error the event is misspelt
on(parcels.events.aded, async () => {})
// @ts-expect-error an event is named by its contract, not by a text
on('parcels.added', async () => {})
// @ts-expect-error the field of the body is misspelt
on(parcels.events.added, async ({ body }) => void body.parcel)

export const whole = () => serve(parcels, right, { streams, endpoints, jobs })
// @ts-expect-error the job's work is missing
export const noJob = () => serve(parcels, right, { streams, endpoints })
// @ts-expect-error there is no such job
export const moreJobs = () => serve(parcels, right, { streams, endpoints, jobs: { ...jobs, delivr: jobs.deliver } })
export const wake = (house: House) => {
  house.wake(parcels.jobs.deliver)
  // @ts-expect-error the job is misspelt
  house.wake(parcels.jobs.delivr)
  // @ts-expect-error a call is no job
  house.wake(parcels.calls.add)
  // @ts-expect-error a job is named by its contract, not by a text
  house.wake('parcels.deliver')
}
// @ts-expect-error a handler is missing
export const missing = () => serve(parcels, { add: right.add, seal: right.seal }, { streams, endpoints, jobs })
// @ts-expect-error there is no such call
export const more = () => serve(parcels, { ...right, remove: async () => ({}) }, { streams, endpoints, jobs })
// @ts-expect-error the stream is missing
export const noStream = () => serve(parcels, right, { endpoints, jobs })
// @ts-expect-error the endpoint is missing
export const noEndpoint = () => serve(parcels, right, { streams, jobs })
// @ts-expect-error there is no such endpoint
export const moreEndpoints = () => serve(parcels, right, { streams, jobs, endpoints: { ...endpoints, stamp: endpoints.label } })
// @ts-expect-error the stream is missing
export const noExtras = () => serve(parcels, right)

export const wrongStreams = () =>
  serve(parcels, right, {
    endpoints,
    jobs,
    streams: {
      // @ts-expect-error what is told lacks its field
      async *follow() {
        yield { on: 'Monday' }
      },
    },
  })

const shelf = contract({ area: 'shelf', title: 'Shelf', records: { book: { singular: 'Book', plural: 'Books', needs: 'search' } } })
const records: RecordSources<typeof shelf> = { book: { names: async () => [], seek: async () => [] } }

export const named = () => serve(shelf, {}, { records })
// @ts-expect-error the record has no names
export const nameless = () => serve(shelf, {})
// @ts-expect-error there is no such record
export const moreNames = () => serve(shelf, {}, { records: { ...records, stamp: records.book } })
