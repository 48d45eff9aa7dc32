// The work itself: batch after batch, each a commit of what was done to the rows, their events, and how far the run has come. Whoever dies in the middle
// of a batch has done nothing of it; the next to come goes on behind the last commit. The run's row is locked meanwhile, so one process is at
// it at a time, and a cancellation stands between two batches. Each row is undone alone where it fails.

import { setImmediate as letOthers } from 'node:timers/promises'
import { findViewerLater } from '#areas/sessions/service.ts'
import { inTenant } from '#core/server/database.ts'
import { reasonOf } from '#core/server/each.ts'
import { Fault, faultOf } from '#core/server/fault.ts'
import type { House, TenantWork } from '#core/server/house.ts'
import type { TakeTurn, TenancyTurn, Viewer } from '#core/server/serve.ts'
import { storable } from '#core/server/storable.ts'
import { bulk } from '../contract.ts'
import { addCounts, endedStayMilliseconds, preparedStayMilliseconds, batchSize } from '../rules.ts'
import type { RowOutcome, RowWork } from '../service.ts'
import { findAction, mayUse, type AnyAction } from './actions.ts'
import {
  changeRun,
  findRun,
  forgetRuns,
  inPart,
  nextRows,
  noteFailures,
  noteOutcomes,
  runningRuns,
  takeRun,
  type RowRecord,
  type RunRecord,
} from './store.ts'

type AfterCommit = { once: Map<string, () => Promise<void>>; each: (() => Promise<void>)[] }

/**
 * Job: a batch of each run of the tenancy, until nothing is left to do. Runs take turns, so that a short one does not wait for a long one; one whose
 * batch cannot be done is left for the next time.
 */
export function workOff(): TakeTurn {
  const stuck = new Map<string, unknown>()
  return async ({ house, tenantId }) => {
    const open = await inTenant(house.database, tenantId, (db) => runningRuns(db, tenantId))
    let more = false
    for (const runId of open) {
      if (stuck.has(runId)) continue
      try {
        more = (await doBatch(house, tenantId, runId)) || more
      } catch (error) {
        stuck.set(runId, error)
      }
      await letOthers()
    }
    if (more) return 'more'
    const left = open.filter((runId) => stuck.has(runId))
    if (left.length > 0)
      throw new AggregateError(
        left.map((runId) => stuck.get(runId)),
        `Bulk work ${left.join(', ')} could not go on: ${left.map((runId) => reasonOf(stuck.get(runId))).join('; ')}`,
      )
  }
}

/** One batch; false where the run is over, or another process has it. */
async function doBatch(house: House, tenantId: string, runId: string): Promise<boolean> {
  const run = await inTenant(house.database, tenantId, (db) => findRun(db, tenantId, runId))
  if (run?.state !== 'running') return false
  const viewer = await whoWorks(house, run)
  const after: AfterCommit = { once: new Map(), each: [] }
  const actor = { userId: run.user_id, name: run.actor, address: run.address }
  const apart = viewer && (await doApart(house, run, viewer))
  const goesOn = await house.work(tenantId, actor, async (work) => {
    const taken = await takeRun(work.db, tenantId, runId)
    if (taken === undefined) return false
    const action = findAction(house, taken.action)
    if (viewer === undefined || action === undefined || !mayUse(viewer, action))
      return stop(work, taken, house.now(), 'The account of the person who started it was disabled, or may not do this any more')
    // Another server has written down what became of these rows.
    if (apart !== undefined && taken.reached !== run.reached) return true
    const rows = apart?.rows ?? (await nextRows(work.db, tenantId, runId, taken.reached, batchSize))
    const done =
      apart?.done ??
      (await doRows(house, work, { viewer, action, run: taken, rows, after, last: (rows.at(-1)?.position ?? taken.total) >= taken.total }))
    const reached = rows.at(-1)?.position ?? taken.total
    const ended = reached >= taken.total
    const outcomes = addCounts(taken.outcomes, done.outcomes)
    const failed = taken.failed + done.failures.length
    await noteFailures(work.db, tenantId, runId, done.failures)
    await noteOutcomes(work.db, tenantId, runId, done.reported)
    await changeRun(work.db, tenantId, runId, {
      reached,
      failed,
      requested: taken.requested + done.reported.filter(({ requestId }) => requestId !== undefined).length,
      outcomes,
      ...(ended ? { state: 'done' as const, ended_at: house.now() } : {}),
    })
    if (ended) work.emitFor(bulk)('ended', { runId, total: taken.total, failed, outcomes }, runId)
    return !ended
  })
  for (const action of [...after.each, ...after.once.values()]) {
    await action().catch((error: unknown) => house.log.error({ error, run: runId }, 'work after the commit of a batch failed'))
  }
  return goesOn
}

/** What the person may do now, and no more than what was allowed when it was confirmed. */
async function whoWorks(house: House, run: RunRecord): Promise<Viewer | undefined> {
  const found = await findViewerLater(house, { userId: run.user_id, homeTenantId: run.home_tenant_id, tenantId: run.tenant_id }, run.id)
  return (
    found && {
      ...found,
      permission: { ...found.permission, api: found.permission.api.filter((name) => run.granted.includes(name)) },
      ...(run.narrowed ? { narrowed: true as const } : {}),
    }
  )
}

async function stop({ db, emitFor }: TenantWork, run: RunRecord, now: Date, why: string): Promise<false> {
  await changeRun(db, run.tenant_id, run.id, { state: 'cancelled', ended_at: now, ended_by: why })
  emitFor(bulk)('cancelled', { runId: run.id, reached: run.reached, total: run.total }, run.id)
  return false
}

/** Performs the next rows of an action that signs or waits, before anything of them is stored. */
async function doApart(house: House, run: RunRecord, viewer: Viewer): Promise<{ rows: RowRecord[]; done: Done } | undefined> {
  const action = findAction(house, run.action)
  if (action?.performApart === undefined || !mayUse(viewer, action)) return undefined
  const rows = await inTenant(house.database, run.tenant_id, (db) => nextRows(db, run.tenant_id, run.id, run.reached, action.batchSize))
  const results = await action.performApart(
    { viewer, now: house.now(), house, since: run.started_at ?? run.prepared_at, address: run.address },
    rows.map(targetOf),
    run.parameters,
  )
  return { rows, done: sumOf(run, rows, results) }
}

const targetOf = (row: RowRecord) => ({ id: row.target_id, label: row.label, version: row.version })

function sumOf(run: RunRecord, rows: readonly RowRecord[], results: readonly (RowOutcome | Error)[]): Done {
  const done: Done = { outcomes: {}, failures: [], reported: [] }
  for (const [at, row] of rows.entries()) {
    const result = results[at]
    if (result === undefined || result instanceof Error) {
      done.failures.push(failureOf(row, result ?? new Error(`The action ${run.action} said nothing of a row`)))
      continue
    }
    done.outcomes = addCounts(done.outcomes, { [typeof result === 'string' ? result : result.word]: 1 })
    if (typeof result !== 'string') done.reported.push({ position: row.position, ...result })
  }
  return done
}

type Batch = { viewer: Viewer; action: AnyAction; run: RunRecord; rows: readonly RowRecord[]; after: AfterCommit; last: boolean }
type Done = {
  outcomes: Record<string, number>
  failures: { position: number; code: string; says: string }[]
  reported: { position: number; word: string; requestId?: string }[]
}

/** All rows together, which is quick; where that fails, each alone, so that the fault is that of one. */
async function doRows(house: House, work: TenantWork, batch: Batch): Promise<Done> {
  const together = batch.rows.length > 1 ? await doSome(house, work, batch, batch.rows) : undefined
  if (together !== undefined && !(together instanceof Error)) return together
  const done: Done = { outcomes: {}, failures: [], reported: [] }
  for (const row of batch.rows) {
    const alone = await doSome(house, work, batch, [row])
    if (alone instanceof Error) done.failures.push(failureOf(row, alone))
    else {
      done.outcomes = addCounts(done.outcomes, alone.outcomes)
      done.failures.push(...alone.failures)
      done.reported.push(...alone.reported)
    }
  }
  return done
}

/** In a part of the transaction that is undone where it fails; the answer is the error then. */
async function doSome(
  house: House,
  work: TenantWork,
  { viewer, action, run, after, last }: Batch,
  rows: readonly RowRecord[],
): Promise<Done | Error> {
  const queued: (() => void)[] = []
  const rowWork: RowWork = {
    db: work.db,
    emitFor: (contract) => (event, body, about) => void queued.push(() => work.emitFor(contract)(event, body, about)),
    afterCommit: (action, key) => void queued.push(() => void (key === undefined ? after.each.push(action) : after.once.set(key, action))),
  }
  const { perform } = action
  if (perform === undefined) return new Error(`The rows of ${run.action} are done apart`)
  const targets = rows.map(targetOf)
  try {
    const results = await inPart(work.db, () => perform(rowWork, { viewer, now: house.now(), house, last }, targets, run.parameters))
    for (const keep of queued) keep()
    return sumOf(run, rows, results)
  } catch (error) {
    // The database is away or two wait for each other: nothing is wrong with the rows. The batch is undone and comes again.
    if (faultOf(error).status === 503) throw error
    if (!(error instanceof Fault))
      house.log.error({ error, run: run.id, targets: targets.slice(0, 10).map(({ id }) => id) }, 'rows of bulk work failed')
    return error instanceof Error ? error : new Error(String(error))
  }
}

function failureOf({ position }: RowRecord, error: Error): Done['failures'][number] {
  const fault = faultOf(error)
  return { position, code: fault.code, says: storable(fault.detail.fields?.[0]?.says ?? fault.message) }
}

/** Drops what nobody confirmed and what is long over. */
export async function forgetOld({ house, tenantId }: TenancyTurn): Promise<void> {
  const now = house.now().getTime()
  const old = { preparedBefore: new Date(now - preparedStayMilliseconds), endedBefore: new Date(now - endedStayMilliseconds) }
  await inTenant(house.database, tenantId, (db) => forgetRuns(db, tenantId, old))
}
