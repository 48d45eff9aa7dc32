import { setTimeout as wait } from 'node:timers/promises'
import { pageFields } from '#core/contract/shapes.ts'
import { inTenant, type Database } from '#core/server/database.ts'
import { timeOrderedId } from '#core/server/events.ts'
import { commonFault, invalidField } from '#core/server/fault.ts'
import type { House } from '#core/server/house.ts'
import { serve, type Viewer } from '#core/server/serve.ts'
import { readExactly, readShape } from '#core/server/shape-faults.ts'
import { actorOf } from '#core/server/visiting.ts'
import { say } from '#standards/say/say.ts'
import { bulk, type RunView } from '../contract.ts'
import { isEnded, mostPrepared, mostRows } from '../rules.ts'
import { allActions, findAction, maySee, mayUse, type AnyAction } from './actions.ts'
import { exportEndpoints } from './export.ts'
import {
  changeRun,
  dropPrepared,
  dropRows,
  failedTargets,
  findRun,
  insertRun,
  lockRun,
  searchRows,
  searchRuns,
  stateOfRow,
  targetIds,
  writeRows,
  type RunRecord,
} from './store.ts'
import { forgetOld, workOff } from './work.ts'

const progressMilliseconds = 400

export default serve(
  bulk,
  {
    async prepare({ action: name, selection, query, seen }, { db, viewer, now, house, emit, fault }) {
      const action = findAction(house, name)
      if (action === undefined) throw invalidField('action', say`There is no such action`)
      if (!mayUse(viewer, action)) return fault('denied')
      const { selectAll, inclusionList, exclusionList } = selection
      const read = readExactly(action.query, query, 'query', pageFields)
      if (read.fields !== undefined) return fault('invalid', { fields: read.fields })
      const { tenantId } = viewer
      const targets = await action.targets(db, {
        tenantId,
        viewer,
        query,
        selected: selectAll ? { without: exclusionList } : { ids: inclusionList },
        now,
      })
      const run = newRun(viewer, { id: timeOrderedId(now), action: name, query: selectAll ? { ...Object(read.data) } : null, now })
      await insertRun(db, run)
      const total = await writeRows(db, tenantId, run.id, targets, mostRows + 1, seen)
      if (total === 0) return fault('nothing')
      if (total > mostRows) return fault('tooMany', { params: { most: mostRows } })
      const facts = await factsOf(db, viewer, action, run, now)
      await changeRun(db, tenantId, run.id, { total, facts })
      await dropPrepared(db, tenantId, viewer.userId, mostPrepared)
      emit('prepared', { runId: run.id, action: name, total }, run.id)
      return { runId: run.id, total, facts }
    },

    async start({ runId, count, parameters }, { db, viewer, now, house, request, emit, afterCommit, fault }) {
      const run = await lockRun(db, viewer.tenantId, runId)
      const action = run && findAction(house, run.action)
      if (run === undefined || action === undefined || !maySee(viewer, action, run)) return fault('missing')
      if (run.user_id !== viewer.userId) return fault('notYours')
      // A second click, or a repeated request: it goes on already.
      if (run.state === 'running') return { runId, state: run.state }
      if (run.state !== 'prepared') return fault('ended')
      if (count !== run.total) return fault('otherCount', { params: { total: run.total, count } })
      const read = readShape(action.parameters, parameters, 'parameters')
      if (read.fields !== undefined) return fault('invalid', { fields: read.fields })
      await changeRun(db, viewer.tenantId, runId, {
        state: 'running',
        parameters: { ...Object(read.data) },
        granted: viewer.permission.api,
        narrowed: viewer.narrowed === true,
        actor: actorOf(viewer),
        address: request.address,
        started_at: now,
      })
      emit('started', { runId, action: run.action, total: run.total }, runId)
      afterCommit(() => house.wake(bulk.jobs.work))
      return { runId, state: 'running' as const }
    },

    async cancel({ runId }, { db, viewer, now, house, emit, fault }) {
      // Waits for the batch that is under way; what it did is done.
      const run = (await lockRun(db, viewer.tenantId, runId)) ?? fault('missing')
      seen(house, viewer, run)
      if (isEnded(run.state)) return fault('ended')
      await changeRun(db, viewer.tenantId, runId, { state: 'cancelled', ended_at: now, ended_by: actorOf(viewer) })
      // Of what was never begun there is nothing to ask about.
      if (run.state === 'prepared') await dropRows(db, viewer.tenantId, [runId])
      emit('cancelled', { runId, reached: run.reached, total: run.total }, runId)
      return progressOf({ ...run, state: 'cancelled' })
    },

    async again({ runId }, { db, viewer, now, house, emit, fault }) {
      const before = (await findRun(db, viewer.tenantId, runId)) ?? fault('missing')
      const action = seen(house, viewer, before)
      if (!isEnded(before.state)) return fault('underWay')
      const run = {
        ...newRun(viewer, { id: timeOrderedId(now), action: before.action, query: null, now }),
        parameters: before.parameters,
        repeats: runId,
      }
      await insertRun(db, run)
      const total = await writeRows(db, viewer.tenantId, run.id, failedTargets(viewer.tenantId, runId), mostRows)
      if (total === 0) return fault('nothing')
      await changeRun(db, viewer.tenantId, run.id, { total, facts: await factsOf(db, viewer, action, run, now) })
      await dropPrepared(db, viewer.tenantId, viewer.userId, mostPrepared)
      emit('prepared', { runId: run.id, action: run.action, total }, run.id)
      return { runId: run.id, total }
    },

    async view({ runId }, { db, viewer, house, fault }) {
      const run = (await findRun(db, viewer.tenantId, runId)) ?? fault('missing')
      seen(house, viewer, run)
      return presentRun(run, viewer)
    },

    async rows({ runId, ...query }, { db, viewer, house, fault }) {
      const run = (await findRun(db, viewer.tenantId, runId)) ?? fault('missing')
      seen(house, viewer, run)
      const { rows, ...counted } = await searchRows(db, run, query)
      return {
        rows: rows.map((row) => ({
          position: row.position,
          targetId: row.target_id,
          label: row.label,
          state: stateOfRow(row, run.reached),
          outcome: row.outcome ?? undefined,
          requestId: row.request_id ?? undefined,
          failureCode: row.failure_code ?? undefined,
          failure: row.failure ?? '',
        })),
        ...counted,
      }
    },

    async search({ states, text, page, size }, { db, viewer, house }) {
      const usable = allActions(house).filter((action) => mayUse(viewer, action))
      const names = (own: boolean) => usable.filter(({ needs }) => (needs === 'signedIn') === own).map(({ name }) => name)
      const { rows, ...counted } = await searchRuns(db, viewer.tenantId, {
        states,
        text,
        page,
        size,
        actions: names(false),
        own: names(true),
        userId: viewer.userId,
      })
      return { rows: rows.map((run) => presentRun(run, viewer)), ...counted }
    },
  },
  {
    streams: {
      /** Each step as it is committed, whichever server works; ends when the run ends. */
      async *progress({ runId }, { viewer, house, signal }) {
        if (viewer === undefined) throw commonFault('not_logged_in')
        let sent = ''
        while (!signal.aborted) {
          const run = await inTenant(house.database, viewer.tenantId, (db) => findRun(db, viewer.tenantId, runId))
          if (run === undefined) throw commonFault('missing')
          seen(house, viewer, run)
          const progress = progressOf(run)
          const text = JSON.stringify(progress)
          if (text !== sent) yield progress
          sent = text
          if (isEnded(run.state)) return
          await wait(progressMilliseconds, undefined, { signal }).catch(() => {})
        }
      },
    },
    endpoints: exportEndpoints,
    jobs: { work: { perRun: workOff }, forget: { inTenancy: forgetOld } },
  },
)

/** The action of a run that this person may see; any other answers as a missing one. */
function seen(house: House, viewer: Viewer, run: RunRecord): AnyAction {
  const action = findAction(house, run.action)
  if (action === undefined || !maySee(viewer, action, run)) throw commonFault('missing')
  return action
}

const factsOf = (
  db: Database,
  viewer: Viewer,
  action: AnyAction,
  { tenant_id: tenantId, id }: RunRecord,
  now: Date,
): Promise<Record<string, number>> => action.facts?.(db, { tenantId, viewer, now }, targetIds(tenantId, id)) ?? Promise.resolve({})

const newRun = (
  viewer: Viewer,
  { id, action, query, now }: { id: string; action: string; query: Record<string, unknown> | null; now: Date },
): RunRecord => ({
  tenant_id: viewer.tenantId,
  id,
  action,
  state: 'prepared',
  parameters: {},
  query,
  facts: {},
  reached: 0,
  total: 0,
  failed: 0,
  requested: 0,
  outcomes: {},
  user_id: viewer.userId,
  home_tenant_id: viewer.homeTenantId,
  actor: actorOf(viewer),
  address: '',
  granted: [],
  narrowed: false,
  prepared_at: now,
  started_at: null,
  ended_at: null,
  ended_by: '',
  repeats: null,
})

const progressOf = ({ state, total, reached, failed, requested, outcomes }: RunRecord) => ({
  state,
  total,
  reached,
  failed,
  requested,
  outcomes,
})

const presentRun = (run: RunRecord, viewer: Viewer): RunView => ({
  ...progressOf(run),
  runId: run.id,
  action: run.action,
  parameters: run.parameters,
  facts: run.facts,
  byFilter: run.query !== null,
  actor: run.actor,
  preparedAt: run.prepared_at.toISOString(),
  startedAt: run.started_at?.toISOString(),
  endedAt: run.ended_at?.toISOString(),
  endedBy: run.ended_by,
  repeats: run.repeats ?? undefined,
  own: run.user_id === viewer.userId,
})
