// Work on many rows at once: prepared, confirmed, done in the background, and shown while it goes on.

import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, Instant, Line, mostChosen, PageQuery, pageOf, SelectionShape } from '#core/contract/shapes.ts'
import { rowStates, runStates } from './rules.ts'

const Counts = z.record(z.string(), z.number().int())

const Progress = z.object({
  state: z.enum(runStates),
  total: z.number().int(),
  /** Rows that were dealt with, the failed ones among them. */
  reached: z.number().int(),
  failed: z.number().int(),
  /** Rows that became requests: nothing is changed in them until others agree, or somebody collects a key. */
  requested: z.number().int(),
  /** What became of those that did not fail, by word: revoked, pending, approved. */
  outcomes: Counts,
})

const Run = Progress.extend({
  runId: Id,
  action: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  /** What the rows are, counted when they were written down. */
  facts: Counts,
  /** Chosen by a filter, not one by one. */
  byFilter: z.boolean(),
  actor: z.string(),
  preparedAt: Instant,
  startedAt: Instant.optional(),
  endedAt: Instant.optional(),
  /** Who or what cancelled it. */
  endedBy: z.string(),
  repeats: Id.optional(),
  /** This person prepared it, and may start it. */
  own: z.boolean(),
})
export type RunView = z.infer<typeof Run>

export const bulk = contract({
  area: 'bulk',
  title: 'Bulk work',
  screens: {
    runs: {
      path: '/monitor/bulk',
      needs: 'search',
      title: 'Bulk work',
      menu: { group: 'operate', entry: 'jobs', tab: 'Bulk work', place: 20 },
    },
    run: { path: '/monitor/bulk/:runId', needs: 'signedIn', title: 'Bulk work', parent: 'runs' },
  },
  calls: {
    prepare: {
      does: 'Writes down the rows that an action would be done to; answers their number and what they are, and does nothing yet. It takes the permission of the action.',
      title: 'Choose rows for bulk work',
      method: 'POST',
      path: '/api2/Monitoring-v1/PrepareBulkRun',
      needs: 'signedIn',
      tokens: 'any',
      input: z.object({
        action: Line(60),
        selection: SelectionShape,
        /** The list's own query; its page and order do not matter. What the action does not know of it is refused. */
        query: z.record(z.string().max(60), z.unknown()).default({}),
        /** Rows that can change, with the version of each that the person was shown. The others are taken as they are now. */
        seen: z
          .record(Id, z.number().int().min(0).max(2_147_483_647))
          .refine((seen) => Object.keys(seen).length <= mostChosen, `Name the versions of at most ${mostChosen} rows`)
          .default({}),
      }),
      output: z.object({ runId: Id, total: z.number().int(), facts: Counts }),
      failed: 'The rows could not be written down, and nothing was done',
      faults: {
        nothing: { status: 409, says: 'Nothing matches this selection any more' },
        tooMany: { status: 409, says: 'More than {most} rows match. Narrow the filter' },
      },
    },
    start: {
      does: 'Confirms a prepared run by the number of its rows; it is then done in the background as the person who confirmed. Only who prepared it.',
      title: 'Start bulk work',
      method: 'POST',
      path: '/api2/Monitoring-v1/StartBulkRun',
      needs: 'signedIn',
      tokens: 'any',
      /** `count` is how many rows the person was told of. */
      input: z.object({
        runId: Id,
        count: z.number('Enter the number of rows').int('Enter a whole number').min(1, 'Enter the number of rows'),
        parameters: z.record(z.string().max(60), z.unknown()).default({}),
      }),
      output: z.object({ runId: Id, state: z.enum(runStates) }),
      failed: 'The work was not started',
      faults: {
        otherCount: { status: 409, says: 'This is about {total} rows, not {count}. Read it again, then confirm' },
        notYours: { status: 403, says: 'Only who prepared this can start it' },
        ended: { status: 409, says: 'This has ended already' },
      },
    },
    cancel: {
      does: 'Stops a run between two batches; what is done stays done. Answers how far it has come.',
      title: 'Stop bulk work',
      method: 'POST',
      path: '/api2/Monitoring-v1/CancelBulkRun',
      needs: 'signedIn',
      tokens: 'any',
      input: z.object({ runId: Id }),
      output: Progress,
      failed: 'The work was not stopped',
      faults: { ended: { status: 409, says: 'This has ended already' } },
    },
    again: {
      does: 'Prepares a new run of the rows of an ended one that failed; answers its id and their number.',
      title: 'Take up the failed rows of bulk work',
      method: 'POST',
      path: '/api2/Monitoring-v1/RepeatBulkRun',
      needs: 'signedIn',
      tokens: 'any',
      input: z.object({ runId: Id }),
      output: z.object({ runId: Id, total: z.number().int() }),
      failed: 'The failed rows could not be taken up again',
      faults: { nothing: { status: 409, says: 'No row of this failed' }, underWay: { status: 409, says: 'This is still under way' } },
    },
    view: {
      does: 'Answers a run: its state, how many rows are done, requested and failed, and what became of them.',
      method: 'GET',
      path: '/api2/Monitoring-v1/BulkRun',
      needs: 'signedIn',
      tokens: 'any',
      input: z.object({ runId: Id }),
      output: Run,
      failed: 'The work could not be read',
    },
    rows: {
      does: 'Lists the rows of a run with the state of each, the request that it became, or why it failed.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchBulkRows',
      needs: 'signedIn',
      tokens: 'any',
      reads: true,
      input: PageQuery.extend({ runId: Id, state: z.enum(rowStates).optional() }),
      output: pageOf(
        z.object({
          position: z.number().int(),
          targetId: Id,
          label: z.string(),
          state: z.enum(rowStates),
          outcome: z.string().optional(),
          requestId: Id.optional(),
          failureCode: z.string().optional(),
          failure: z.string(),
        }),
      ),
      failed: 'The rows could not be read',
    },
    search: {
      does: 'Lists the runs that the caller may see, newest first.',
      method: 'POST',
      path: '/api2/Monitoring-v1/SearchBulkRuns',
      needs: 'signedIn',
      tokens: 'any',
      reads: true,
      input: PageQuery.extend({ states: z.array(z.enum(runStates)).max(4).default([]) }),
      output: pageOf(Run),
      failed: 'The bulk work could not be listed',
    },
  },
  endpoints: {
    exportBulkFailures: { method: 'GET', path: '/api2/Monitoring-v1/BulkFailures', needs: 'signedIn', tokens: 'any' },
    exportBulkRows: { method: 'GET', path: '/api2/Monitoring-v1/BulkRows', needs: 'signedIn', tokens: 'any' },
  },
  streams: {
    progress: {
      path: '/stream/bulk',
      needs: 'signedIn',
      tokens: 'any',
      input: z.object({ runId: Id }),
      event: Progress,
      failed: 'The progress could not be followed',
    },
  },
  jobs: {
    work: { title: 'Continue bulk work', every: '* * * * *' },
    forget: { title: 'Delete old bulk work', every: '23 3 * * *' },
  },
  events: {
    prepared: { says: 'Chose rows for bulk work', body: z.object({ runId: Id, action: z.string(), total: z.number().int() }) },
    started: { says: 'Started bulk work', body: z.object({ runId: Id, action: z.string(), total: z.number().int() }) },
    cancelled: { says: 'Stopped bulk work', body: z.object({ runId: Id, reached: z.number().int(), total: z.number().int() }) },
    ended: {
      says: 'Finished bulk work',
      body: z.object({ runId: Id, total: z.number().int(), failed: z.number().int(), outcomes: Counts }),
    },
    failuresExported: { says: 'Exported the failed rows of bulk work', body: z.object({ runId: Id, rows: z.number().int() }) },
    rowsExported: { says: 'Exported all rows of bulk work', body: z.object({ runId: Id, rows: z.number().int() }) },
  },
})
