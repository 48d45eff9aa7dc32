// What rooms above ask of bulk work. A room offers an action: which rows a list's query and selection mean, what they amount to, and
// what is done to one of them, by the same function that its single call uses. The engine writes the rows down, asks for the confirmation,
// and does them one after the other; what became of a row is committed together with the action, so that no row is done twice. An action that signs or waits
// cannot be part of a commit: it is done before, and so that doing it again finds it done.

import type { RawBuilder } from 'kysely'
import type * as z from 'zod'
import type { TokenScopes } from '#core/contract/access.ts'
import type { AnyContract, Call } from '#core/contract/contract.ts'
import type { Needs } from '#core/contract/permissions.ts'
import { slot } from '#core/contract/slots.ts'
import type { Database } from '#core/server/database.ts'
import { faultOfCall, type Fault, type FaultDetail } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import type { Emit, Viewer } from '#core/server/serve.ts'
import type { Selected, Target } from './selected.ts'
export type { Selected, Target } from './selected.ts'
export { rateMeasured, within } from './server/store.ts'

export type Chosen<Q> = { tenantId: string; viewer: Viewer; query: Q; selected: Selected; now: Date }

export type RowWork = {
  db: Database
  emitFor<C extends AnyContract>(contract: C): Emit<C>
  /** Runs after the commit; of those that bear the same key, one for the whole batch. */
  afterCommit(action: () => Promise<void>, key?: string): void
}

export type RowContext = { viewer: Viewer; now: Date; house: House }

type Named<Q, P> = {
  /** `revocation.revoke`: the room and its single call. */
  name: string
  /** As the single call. */
  needs: Needs
  /** As the single call. */
  tokens?: TokenScopes
  query: z.ZodType<Q>
  parameters: z.ZodType<P>
  /** A select of `id`, `label` and `version`. What the person may not see must not be in it. */
  targets(db: Database, chosen: Chosen<Q>): RawBuilder<Target> | Promise<RawBuilder<Target>>
  /** What the rows are, for the person to read before the confirmation. `ids` is a select of the rows written down. */
  facts?(db: Database, asked: { tenantId: string; viewer: Viewer; now: Date }, ids: RawBuilder<unknown>): Promise<Record<string, number>>
}

/**
 * What became of a row, in a word of its action; where nothing changes until others agree or a key is collected, with the request that it became. A word alone is
 * counted; in an object it is told of the row, too.
 */
export type RowOutcome = string | { word: string; requestId?: string }

/** `last`: no rows come after these. */
export type TogetherContext = RowContext & { last: boolean }

/**
 * Does some rows in a part of a transaction, and says of each, in their order, what became of it, or why it was refused. Where it throws,
 * all of them are undone, and each is tried alone.
 */
type Together<P> = {
  perform(work: RowWork, context: TogetherContext, targets: readonly Target[], parameters: P): Promise<(RowOutcome | Fault)[]>
  performApart?: never
  batchSize?: never
}

/** `since`: when the run was started. What was done since then may have been done by this run, before a kill or by another server. */
export type ApartContext = RowContext & { since: Date; /** From where it was confirmed. */ address: string }

/**
 * Does some rows outside a transaction, before what became of them is written down. After a kill, or on another server at the same moment, the same rows
 * come again: each action must find what it has done, and say the same of it. `batchSize` are done before the run is seen to move on.
 */
type Apart<P> = {
  performApart(context: ApartContext, targets: readonly Target[], parameters: P): Promise<(RowOutcome | Fault)[]>
  batchSize: number
  perform?: never
}

export type BulkAction<Q, P> = Named<Q, P> & (Together<P> | Apart<P>)

export type AnyAction = BulkAction<unknown, unknown>

export const bulkActions = slot<AnyAction>('bulk actions: what is done to many rows of a list')

/** An action as the engine does it: with query and parameters read by the action's own shapes. */
export function bulkAction<Q, P>(action: BulkAction<Q, P>): AnyAction {
  const { perform, performApart, batchSize, ...named } = action
  const base = {
    ...named,
    targets: (db: Database, chosen: Chosen<unknown>) => action.targets(db, { ...chosen, query: action.query.parse(chosen.query) }),
  }
  if (performApart === undefined)
    return {
      ...base,
      perform: (work, context, targets, parameters) => perform(work, context, targets, action.parameters.parse(parameters)),
    }
  return {
    ...base,
    batchSize,
    performApart: (context, targets, parameters) => performApart(context, targets, action.parameters.parse(parameters)),
  }
}

/** Performs the rows one by one. The engine reports the first that throws. */
export const oneByOne =
  <P>(perform: (work: RowWork, context: RowContext, target: Target, parameters: P) => Promise<RowOutcome>): Together<P>['perform'] =>
  async (work, context, targets, parameters) => {
    const words = []
    for (const target of targets) words.push(await perform(work, context, target, parameters))
    return words
  }

/** Throws the fault of that name, as the single call would. */
export const faultsOf =
  (call: Call) =>
  (code: string, detail?: FaultDetail): never => {
    throw faultOfCall(call, code, detail)
  }
