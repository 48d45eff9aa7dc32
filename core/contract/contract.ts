// The contract of a room: the only place where a path, a method, a permission, a shape or a text is written.
// Both sides read it. `contract()` returns what it was given, with each call and screen told its own name, so that
// `send(tickets.calls.add, draft)` needs no second argument to know where it goes.

import type * as z from 'zod'
import type { TokenScopes } from './access.ts'
import type { Area } from './area.ts'
import type { FaultText } from './faults.ts'
import type { Jump } from './jump.ts'
import type { MenuPlace } from './menu.ts'
import type { Needs } from './permissions.ts'
import { listScreens, type RecordShape } from './records.ts'

export type { Jump } from './jump.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type ScreenShape = {
  path: string
  needs: Needs
  title: string
  /** What it is called where the optional parameter of its path is given: one of the list. */
  single?: string
  /** Where the screen stands in the navigation (menu.ts). */
  menu?: MenuPlace
  /** The screen above it, where it stands in no menu: `list` of the same contract, `roleList` of its records, or `certificates.view` of another room. */
  parent?: string
  /** Puts a button with these words on the screen above it: verb and object, or the object alone. */
  button?: string
  /** What people call it besides its title, with commas: the palette finds it by these words. */
  also?: string
  /** Among the actions that the palette offers before anything is typed, the smallest first. */
  first?: number
  /** The call of the same contract that it reads first: a GET without input, which the browser sends while the scripts are on their way. */
  asks?: string
  /** What the palette leads to besides the screen itself: a page to make one, a list by its status. */
  jumps?: readonly Jump[]
  /** `public`: the card shell of sign-in and activation instead of the console's; `self`: the shell of self-service, made for telephones. */
  shell?: 'public' | 'self' | 'console'
}

/** What a call asks and answers. What it is called in the log is `CallShape`'s. */
type CallParts = {
  /** What it does and what comes back, in a sentence for programs; of calls open to whoever is signed in, whose things they reach. */
  does: string
  path: string
  /** Where a program of an earlier version asks for the same. */
  olderPath?: string
  needs: Needs
  input: z.ZodType
  output: z.ZodType
  /** The toast after success, where the specification gives one or the person would not see the effect otherwise. */
  done?: string
  /** The title of what is shown when it fails. */
  failed?: string
  faults?: Record<string, FaultText>
  /** Answers 201, which the specification asks of a few calls: to the console it failed with any other status. */
  created?: true
  /** The handler gets `transact` instead of an open transaction: it signs or waits in between, or needs none at all. */
  ownTransactions?: true
  /** The answer holds a secret that is stored nowhere else: a call with transactions of its own, whose answer is not stored for a repeated request. */
  unstored?: true
  /** Its answer is long and holds no secret: it may go out compressed, whose length would tell of a secret beside words of the asker. */
  packed?: true
  /** Its room keeps the keys of repeated requests itself, in the rows that they made: a call with transactions of its own that is not remembered besides. */
  ownKeys?: true
  /** About the person's own account: it works in the home tenancy, whichever one was switched to. */
  home?: true
  /**
   * What tokens with scopes may do here (access.ts): they pass where they have one of these scopes, and what `needs` says. Where it says `signedIn` and
   * nothing stands here, they are refused. `any` is for reading who one is, and for a handler that asks for a permission itself; `never` is for
   * sessions alone. A scope that only lets its owner see opens nothing that changes anything.
   */
  tokens?: TokenScopes
  /** Bytes of body accepted; 1 MiB unless told. */
  bodyLimit?: number
  /** How many values its JSON may hold, where the usual number (standards/json) is too small: each costs whoever reads it. */
  values?: number
  /** Takes fields that its shape does not know, in silence. The text says why: every other call refuses them, because what is misspelt would look as if it held. */
  lenient?: string
  /** One of the limits that no rule lifts (core/server/limits.ts). */
  limit?: 'signIn' | 'code' | 'publicLink' | 'begin' | 'name' | 'order'
}

/** Names the attempt in the audit log ("Add a role"), which records refused attempts too. */
type Recorded = { title: string }

/** Only what the log records has a `title`; a call that changes something and has none does not compile. */
export type CallShape = CallParts &
  (
    | { method: 'GET'; reads?: undefined; watched?: undefined; title?: undefined }
    /** `reads`: a POST that changes nothing (a search): it is not recorded. */
    | { method: Exclude<Method, 'GET'>; reads: true; watched?: undefined; title?: undefined }
    /** `watched`: it changes nothing, but its refusals are recorded as those of a change: somebody guesses a secret. */
    | ({ method: Method; reads?: true; watched: true } & Recorded)
    | ({ method: Exclude<Method, 'GET'>; reads?: undefined; watched?: undefined } & Recorded)
  )

/** `tokens`: as of a call. */
export type StreamShape = {
  path: string
  olderPath?: string
  needs: Needs
  tokens?: TokenScopes
  input: z.ZodType
  event: z.ZodType
  failed?: string
}

/** A door that does not speak JSON calls: a download, a list, OCSP. How it answers is the server's; its name stands in the route list and in the log. */
export type EndpointShape = { path: string; needs: Needs; tokens?: TokenScopes } & (
  | { method: 'GET'; title?: undefined }
  | ({ method: Exclude<Method, 'GET'> } & Recorded)
)

/** What happened: its words in the audit log, in the past ("Added a role"), and the body of its row. */
export type EventShape = { says: string; body: z.ZodType }

/** Recurring work. `every` is a cron expression, in UTC. What the work is, is the server's (core/server/serve.ts). */
export type JobShape = { title: string; every: string }

export type ContractShape = {
  area: string
  /** What people call the room: the filter of the audit log. */
  title: string
  screens?: Record<string, ScreenShape>
  calls?: Record<string, CallShape>
  streams?: Record<string, StreamShape>
  endpoints?: Record<string, EndpointShape>
  jobs?: Record<string, JobShape>
  events?: Record<string, EventShape>
  /** The kinds of things that people look for by name: `role`, `certificate`. */
  records?: Record<string, RecordShape>
}

/** What `contract()` adds to each call, screen, stream, endpoint, job and event. */
export type Named = { area: string; name: string }

type Naming<T> = { [K in keyof T]: T[K] & Named }

export type Contract<C extends ContractShape = ContractShape> = {
  area: C['area']
  title: string
  screens: Naming<NonNullable<C['screens']>>
  calls: Naming<NonNullable<C['calls']>>
  streams: Naming<NonNullable<C['streams']>>
  endpoints: Naming<NonNullable<C['endpoints']>>
  jobs: Naming<NonNullable<C['jobs']>>
  events: Naming<NonNullable<C['events']>>
  records: Naming<NonNullable<C['records']>>
}

/** `lists`: the kind of record whose list this is; the search draws it. */
export type Screen = ScreenShape & Named & { lists?: string }
export type Call = CallShape & Named
export type Stream = StreamShape & Named
export type Job = JobShape & Named
export type Event = EventShape & Named
export type AnyContract = {
  area: string
  title: string
  screens: Record<string, Screen>
  calls: Record<string, Call>
  streams: Record<string, Stream>
  endpoints: Record<string, EndpointShape & Named>
  jobs: Record<string, Job>
  events: Record<string, Event>
  records?: Record<string, RecordShape & Named>
}

export type InputOf<C extends { input: z.ZodType }> = z.output<C['input']>
/** What a caller sends: fields with a default may be left out. */
export type DraftOf<C extends { input: z.ZodType }> = z.input<C['input']>

/**
 * A draft without any field that the call does not know, however deep: the server refuses it. The compiler's own check passes by what comes from a spread,
 * such as a whole row that was read.
 */
export type ExactDraft<C extends { input: z.ZodType }, D> = D & Exactly<D, DraftOf<C>>
type Exactly<D, S> = S extends readonly (infer T)[]
  ? D extends readonly (infer E)[]
    ? readonly Exactly<E, T>[]
    : S
  : S extends object
    ? D extends object
      ? string extends keyof S
        ? D
        : { [K in keyof D]: K extends keyof S ? Exactly<D[K], S[K]> : never }
      : S
    : D
export type OutputOf<C extends { output: z.ZodType }> = z.output<C['output']>
export type BodyOf<E extends { body: z.ZodType }> = z.output<E['body']>
export type FaultOf<C> = C extends { faults: infer F } ? keyof F & string : never

/** `certificates.expiry`: how the queue, the log and the record of runs name a job. */
export const jobName = ({ area, name }: Job): string => `${area}.${name}`

const named = <T extends object>(area: string, shapes: Record<string, T> | undefined): Record<string, T & Named> =>
  Object.fromEntries(Object.entries(shapes ?? {}).map(([name, shape]) => [name, { ...shape, area, name }]))

type ParentOf<C extends ContractShape> =
  | (keyof C['screens'] & string)
  | `${keyof C['records'] & string}List`
  | `${Exclude<Area, C['area']>}.${string}`

/** Has its place: it stands in the menu or below another screen, unless it is shown to anonymous people. */
type Placed<C extends ContractShape> = {
  screens?: {
    [S in keyof C['screens']]: C['screens'][S] extends { needs: 'public' } | { shell: 'public' } | { menu: object }
      ? { parent?: never }
      : { parent: ParentOf<C> }
  }
}

export function contract<const C extends ContractShape>(shape: C & Placed<C>): Contract<C>
export function contract(shape: ContractShape): AnyContract {
  return {
    area: shape.area,
    title: shape.title,
    screens: { ...named(shape.area, shape.screens), ...listScreens(shape.area, shape.records ?? {}) },
    calls: named(shape.area, shape.calls),
    streams: named(shape.area, shape.streams),
    endpoints: named(shape.area, shape.endpoints),
    jobs: named(shape.area, shape.jobs),
    events: named(shape.area, shape.events),
    records: named(shape.area, shape.records),
  }
}
