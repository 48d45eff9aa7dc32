// How a room joins its contract to its handlers: `export default serve(tickets, { async add(draft, { db, emit }) { ... } })`.
// A missing handler, a misspelt fault, event or field does not compile.

import type { IncomingMessage } from 'node:http'
import type * as z from 'zod'
import {
  jobName,
  type AnyContract,
  type BodyOf,
  type Call,
  type DraftOf,
  type EndpointShape,
  type Event,
  type FaultOf,
  type InputOf,
  type Method,
  type Stream,
} from '#core/contract/contract.ts'
import type { CommonFault } from '#core/contract/faults.ts'
import type { ViewerPermission } from '#core/contract/permissions.ts'
import { offer, type Offer } from '#core/contract/slots.ts'
import type { AfterCommit } from './after-commit.ts'
import type { Database } from './database.ts'
import type { Emit } from './emit.ts'
import type { Fault, FaultDetail } from './fault.ts'
import { homeAnswers } from './home-answers.ts'
import type { House, JobBinding, JobHandler } from './house.ts'
import type { Gauge } from './metrics.ts'
import { recordKinds, type RecordSource } from './records.ts'
import type { Tenancy } from './tenancy.ts'

export type { Emit } from './emit.ts'
export type { JobBinding, JobHandler, TakeTurn, TenancyTurn } from './house.ts'

/** Who asks: a person with a session or a program with a token, and the tenancy that they work in. */
export type Viewer = {
  userId: string
  username: string
  tenantId: string
  homeTenantId: string
  /** The name of the home tenancy, for who works in another. */
  homeName?: string
  permission: ViewerPermission
  /** `job`: work that goes on in somebody's name. */
  via: 'session' | 'token' | 'job'
  /** Came with a token that has scopes: what needs no permission is not among them. */
  narrowed?: true
  /** The id of the session or the token; of a job, what it works on. */
  credentialId: string
  sessionExpiresAt?: Date
}

export type RequestFacts = {
  id: string
  address: string
  userAgent: string
  /** The key that the form sent with the request, or a fresh one. */
  idempotencyKey: string
  cookies: Record<string, string>
  bearer: string | undefined
  /** The page that asks, where it is one of ours; other pages are refused where something changes. */
  origin?: string
  secure: boolean
  /** The host that the request names, a stranger's word. */
  host?: string
}

export type CookieOptions = { maxAgeSeconds?: number; httpOnly?: boolean; path?: string }

export type Respond = {
  status(code: number): void
  header(name: string, value: string): void
  cookie(name: string, value: string, options?: CookieOptions): void
}

/** One open transaction: what is done in it is committed with its events or not at all. */
export type Work<C extends AnyContract> = {
  db: Database
  emit: Emit<C>
  /** An event of a room below, which tells the same whoever brought it about: a sign-in. */
  emitFor<B extends AnyContract>(contract: B): Emit<B>
  afterCommit(action: AfterCommit): void
}

/** Of who has signed in: the tenancy of the transaction, which is the home tenancy where the call is about the own account. */
export type TenancyWork<C extends AnyContract> = Work<C> & { tenancy: Tenancy }

type WorkOf<K extends Call, C extends AnyContract> = K['needs'] extends 'public' ? Work<C> : TenancyWork<C>

export type Transacting<W> = {
  transact<T>(work: (work: W) => Promise<T>): Promise<T>
  /** The event rows of this call were committed by the room itself, together with those of other calls. */
  recordedByRoom(): void
}

type Asked<K extends Call, C extends AnyContract> = {
  viewer: K['needs'] extends 'public' ? Viewer | undefined : Viewer
  now: Date
  request: RequestFacts
  respond: Respond
  house: House
  fault(code: FaultOf<K> | CommonFault, detail?: FaultDetail): never
} & (K['needs'] extends 'public'
  ? {
      enter(tenantId: string): Promise<void>
      actAs(actor: { userId: string; name: string }): void
      /** Answered, and yet an attempt that failed: it stays counted against its limit. */ missed(): void
    }
  : unknown) &
  (K extends { ownTransactions: true } ? Transacting<WorkOf<K, C>> : WorkOf<K, C>)

export type CallContext<C extends AnyContract, N extends keyof C['calls']> = Asked<C['calls'][N], C>

export type Handlers<C extends AnyContract> = {
  [N in keyof C['calls']]: (
    input: InputOf<C['calls'][N]>,
    context: Asked<C['calls'][N], C>,
  ) => Promise<DraftOf<{ input: C['calls'][N]['output'] }>>
}

export type StreamContext = { viewer: Viewer | undefined; now: Date; request: RequestFacts; house: House; signal: AbortSignal }

export type StreamHandlers<C extends AnyContract> = {
  [N in keyof C['streams']]: (input: InputOf<C['streams'][N]>, context: StreamContext) => AsyncGenerator<z.input<C['streams'][N]['event']>>
}

export type EndpointRequest = {
  facts: RequestFacts
  method: string
  url: URL
  params: Record<string, string>
  viewer: Viewer | undefined
  now: Date
  house: House
  /** Reads the body, at most the endpoint's `bodyLimit` bytes. */
  body(): Promise<Uint8Array>
  raw: IncomingMessage
}

export type EndpointAnswer = {
  status?: number
  headers?: Record<string, string>
  body: string | Uint8Array | AsyncIterable<Uint8Array | string>
}

/** One whose bytes are all there: it is written to the connection as it is. */
export type ShortAnswer = EndpointAnswer & { body: Uint8Array }

/** How an endpoint of the contract answers. */
export type EndpointHandler = {
  /** Bytes of body read; 64 KiB unless told. */
  bodyLimit?: number
  /**
   * The answer without the steps: for public doors where strangers' software knocks thousands of times a second, which know nobody and change
   * nothing. Undefined sends the request the usual way. `path` is what follows the literal beginning of the path, as it came. An answer that needs no
   * waiting may lie in memory that the next one is written to: it is copied before anything else is asked.
   */
  shortWay?(request: { path: string; body: Buffer; house: House }): ShortAnswer | Promise<ShortAnswer> | undefined
  handle(request: EndpointRequest): Promise<EndpointAnswer>
  /** Tells a refusal in the words of the protocol, whoever refused: also that nobody is signed in. Ours otherwise. */
  presentFault?(fault: Pick<Fault, 'status' | 'code' | 'message'>): EndpointAnswer & { body: string }
}

export type Endpoint = Pick<EndpointShape, 'path' | 'needs' | 'tokens'> & { name: string; method: Method } & EndpointHandler

export type EndpointHandlers<C extends AnyContract> = { [N in keyof C['endpoints']]: EndpointHandler }

export type EventDelivery<Body = unknown> = {
  tenantId: string
  id: string
  at: Date
  area: string
  name: string
  about: string
  body: Body
  actor: string
  actorId: string | undefined
  sequence: number
}

/** What a room does when something happened below it. Delivered at least once: a listener is idempotent. */
export type Subscription = { event: Event; hear(delivery: EventDelivery, house: House): Promise<void> }

/** `on(users.events.disabled, async ({ tenantId, about, body }, house) => ...)`. The body is read by the event's shape when it is asked for: older rows may have another. */
export const on = <E extends Event>(event: E, hear: (delivery: EventDelivery<BodyOf<E>>, house: House) => Promise<void>): Subscription => ({
  event,
  hear: (delivery, house) =>
    hear(
      {
        ...delivery,
        get body() {
          return event.body.parse(delivery.body) as BodyOf<E>
        },
      },
      house,
    ),
})

export type JobHandlers<C extends AnyContract> = { [N in keyof C['jobs']]: JobHandler }

export type RecordSources<C extends AnyContract> = { [K in keyof NonNullable<C['records']>]: RecordSource }

export type RoomExtras<C extends AnyContract> = {
  streams?: StreamHandlers<C>
  endpoints?: EndpointHandlers<C>
  subscriptions?: readonly Subscription[]
  jobs?: JobHandlers<C>
  /** How the contract's kinds of records are named and found. */
  records?: RecordSources<C>
  /** What the room offers to rooms that gather: `offer(slot, thing)`. */
  offers?: readonly Offer[]
  /** The reading calls whose answers go out with the home page, each with the inputs that its cards send. */
  atHome?: { [N in keyof C['calls']]?: readonly DraftOf<C['calls'][N]>[] }
  /** What `/metrics` tells of the room's things. */
  gauges?: readonly Gauge<House>[]
  /** Called once before the doors open: keys to load, caches to warm. */
  start?(house: House): Promise<void>
  stop?(house: House): Promise<void>
}

export type CallBinding = { call: Call; handle(input: unknown, context: unknown): Promise<unknown> }
export type StreamBinding = { stream: Stream; handle(input: unknown, context: StreamContext): AsyncGenerator<unknown> }

export type Room = {
  area: string
  contract: AnyContract
  calls: CallBinding[]
  streams: StreamBinding[]
  endpoints: readonly Endpoint[]
  subscriptions: readonly Subscription[]
  jobs: readonly JobBinding[]
  offers?: readonly Offer[]
  gauges?: readonly Gauge<House>[]
  start?(house: House): Promise<void>
  stop?(house: House): Promise<void>
}

/** A contract with streams, endpoints, jobs or records needs what serves them; without, a room may have no extras at all. */
type Extras<C extends AnyContract> =
  | keyof C['streams']
  | keyof C['endpoints']
  | keyof C['jobs']
  | keyof NonNullable<C['records']> extends never
  ? [extras?: RoomExtras<C>]
  : [
      extras: RoomExtras<C> &
        (keyof C['streams'] extends never ? unknown : { streams: StreamHandlers<C> }) &
        (keyof C['endpoints'] extends never ? unknown : { endpoints: EndpointHandlers<C> }) &
        (keyof C['jobs'] extends never ? unknown : { jobs: JobHandlers<C> }) &
        (keyof NonNullable<C['records']> extends never ? unknown : { records: RecordSources<C> }),
    ]

export function serve<C extends AnyContract>(contract: C, handlers: Handlers<C>, ...[extras = {}]: Extras<C>): Room {
  // The one place where a typed handler becomes an untyped one: the router has parsed the input by the call's own shape.
  const bound = <T>(table: object, name: string) => (Object.hasOwn(table, name) ? (Reflect.get(table, name) as T) : undefined)
  const calls = Object.values(contract.calls).map((call) => {
    const handle = bound<CallBinding['handle']>(handlers, call.name)
    if (handle === undefined) throw new TypeError(`${contract.area}.${call.name} has no handler`)
    return { call, handle }
  })
  return {
    area: contract.area,
    contract,
    calls,
    streams: Object.values(contract.streams).map((stream) => {
      const handle = bound<StreamBinding['handle']>(extras.streams ?? {}, stream.name)
      if (handle === undefined) throw new TypeError(`${contract.area}.${stream.name} has no stream`)
      return { stream, handle }
    }),
    endpoints: Object.values(contract.endpoints).map(({ name, method, path, needs, tokens }) => {
      const handler = bound<EndpointHandler>(extras.endpoints ?? {}, name)
      if (handler === undefined) throw new TypeError(`${contract.area}.${name} has no endpoint`)
      return { name, method, path, needs, ...(tokens === undefined ? {} : { tokens }), ...handler }
    }),
    subscriptions: extras.subscriptions ?? [],
    jobs: Object.values(contract.jobs).map((job) => {
      const handler = bound<JobHandler>(extras.jobs ?? {}, job.name)
      if (handler === undefined) throw new TypeError(`${jobName(job)} has no handler`)
      return { job, ...handler }
    }),
    offers: [...kindsOf(contract, extras.records), ...answersOf(calls, extras.atHome), ...(extras.offers ?? [])],
    ...(extras.gauges === undefined ? {} : { gauges: extras.gauges }),
    ...(extras.start === undefined ? {} : { start: extras.start }),
    ...(extras.stop === undefined ? {} : { stop: extras.stop }),
  }
}

/** A card reads in the open transaction of the home page: what changes something, signs or waits has no place there. */
const answersOf = (calls: readonly CallBinding[], inputs: Readonly<Record<string, readonly unknown[] | undefined>> = {}): Offer[] =>
  calls.flatMap(({ call, handle }) =>
    (inputs[call.name] ?? []).map((input) => {
      if ((call.method !== 'GET' && call.reads !== true) || call.ownTransactions === true || call.home === true)
        throw new TypeError(`${call.area}.${call.name} cannot be answered with the home page`)
      return offer(homeAnswers, { call, input, handle })
    }),
  )

const kindsOf = (contract: AnyContract, sources: Readonly<Record<string, RecordSource>> = {}): Offer[] =>
  Object.values(contract.records ?? {}).map((kind) => {
    const source = sources[kind.name]
    if (source === undefined) throw new TypeError(`${contract.area}.${kind.name} has no names`)
    return offer(recordKinds, { ...kind, ...source })
  })
