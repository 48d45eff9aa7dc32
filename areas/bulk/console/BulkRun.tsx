// One run under its own address: the confirmation before it, the progress while it goes on, and what became of it.

import { Suspense, use } from 'react'
import { useParams } from 'react-router'
import { Page } from '#core/console/kit/Page.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { bulkOffer, textsOf } from '../bulk-actions.tsx'
import { bulk, type RunView } from '../contract.ts'
import { RunConfirm } from './RunConfirm.tsx'
import { RunOutcome } from './RunOutcome.tsx'
import { RunRows } from './RunRows.tsx'
import { RunState } from './RunState.tsx'
import { useProgress } from './use-progress.ts'

const rereadMilliseconds = 5_000

export function BulkRun() {
  const { runId = '' } = useParams()
  // The stream tells the steps; this finds out where it broke, or where the run was started in another window.
  const query = useCall(bulk.calls.view, { runId }, { refetchMilliseconds: rereadMilliseconds })
  if (query.data === undefined || bulkOffer(query.data.action) === undefined)
    return (
      <Page title={t('Bulk work')}>
        <Loaded query={query}>{(run) => t('This version of the console does not know the work {action}.', { action: run.action })}</Loaded>
      </Page>
    )
  return (
    <Suspense fallback={<Page title={t('Bulk work')}>{null}</Page>}>
      <OneRun key={runId} shown={query.data} />
    </Suspense>
  )
}

function OneRun({ shown }: { shown: RunView }) {
  const run = useProgress(shown)
  const texts = use(textsOf(run.action))()
  return (
    <Page
      title={texts.title(run.total)}
      status={<RunState state={run.state} failed={run.failed} requested={run.requested} total={run.total} />}
    >
      {run.state === 'prepared' ? <RunConfirm run={run} texts={texts} /> : <RunOutcome run={run} texts={texts} />}
      <RunRows run={run} texts={texts} />
    </Page>
  )
}
