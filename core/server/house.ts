import type pg from 'pg'
// What every room may lean on, made once at start: the settings, the clock, the log, the database of the application role,
// the installation's key, and the way to work in a tenancy outside a call (jobs, subscriptions, endpoints).
import type { Logger } from 'pino'
import type { AnyContract, Job } from '#core/contract/contract.ts'
import type { Gathered } from '#core/contract/slots.ts'
import type { Actor } from './actor.ts'
import type { AfterCommit } from './after-commit.ts'
import type { Batches } from './batch.ts'
import type { Cache } from './cache.ts'
import type { Connections, Database } from './database.ts'
import type { Emit } from './emit.ts'
import type { InstallationKey } from './installation-key.ts'
import type { Outward } from './outward/outward.ts'
import type { Settings } from './settings.ts'
import type { Tenancy } from './tenancy.ts'

export type { Actor } from './actor.ts'

export type TenantWork = {
  db: Database
  tenancy: Tenancy
  emitFor<C extends AnyContract>(contract: C): Emit<C>
  afterCommit(action: AfterCommit): void
}

export type House = {
  settings: Settings
  version: string
  log: Logger
  now(): Date
  /** The application role, without a tenant: only installation tables can be read through it. */
  database: Database
  /** The auditor role: reads events of all tenants and numbers them, nothing else. */
  auditor: Connections
  /** Connections of that role for whoever listens or has a lease and holds one as long as the server lives. Apart, because they would leave none to ask with. */
  held: pg.Pool
  installationKey: InstallationKey
  /** The same role, for what is written together thousands of times a second. */
  batches: Batches
  /** What was read a moment ago and has not changed since. */
  cache: Cache
  /** The one way to other machines. */
  outward: Outward
  /** One transaction of one tenant, with its events. For whoever has no call: jobs, subscriptions, endpoints. */
  work<T>(tenantId: string, actor: Actor, action: (work: TenantWork) => Promise<T>): Promise<T>
  /** What all rooms declare. */
  contracts: readonly AnyContract[]
  /** Why the embedded database does not run now, in a sentence for everybody; undefined while it runs, or where it is none of ours. */
  databaseFault(): string | undefined
  /** The recurring work of all rooms. */
  jobs: readonly JobBinding[]
  /** What the rooms offer to a slot, in the order of the rooms. */
  offers: Gathered
  /** Runs the job now instead of at its next time: `house.wake(mail.jobs.send)`. */
  wake(job: Job): void
}

/** A tenancy whose turn it is. No transaction is open, because what signs or waits does so between its own; what goes on for long ends at `until`. */
export type TenancyTurn = { house: House; tenantId: string; /** As `performance.now()` counts. */ until: number }

/** `more` asks for another turn after the other tenancies had theirs. What is thrown is logged and shown under Jobs, and keeps no other tenancy from its turn. */
export type TakeTurn = (turn: TenancyTurn) => Promise<'more' | void>

/**
 * Recurring work, done by one process at a time: in each tenancy, or once for the installation as a whole. `perRun` is for turns that share something,
 * as a budget: it is called when a run begins. A job never goes over the tenancies itself.
 */
export type JobHandler = { inTenancy: TakeTurn } | { perRun(house: House): TakeTurn } | { inHouse(house: House): Promise<void> }

export type JobBinding = { job: Job } & JobHandler
