import { Text } from '@mantine/core'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { WithDates } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { useList, type RowOf } from '#core/console/kit/list.ts'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import type { BulkTexts } from '../bulk-actions.tsx'
import { bulk, type RunView } from '../contract.ts'
import { rowStates } from '../rules.ts'

const rereadMilliseconds = 3_000

type Row = RowOf<typeof bulk.calls.rows>

export function RunRows({ run: { runId, state, reached, failed, own }, texts }: { run: RunView; texts: BulkTexts }) {
  const may = useMay()
  const stateLabels = {
    failed: t('Failed'),
    requested: t('Requested'),
    done: t('Done'),
    waiting: state === 'cancelled' ? t('Unchanged') : t('Not begun'),
  }
  const kinds = { failed: 'failed', requested: 'pending', done: 'done', waiting: state === 'cancelled' ? 'cancelled' : 'pending' } as const
  const list = useList(bulk.calls.rows, {
    key: 'bulk.rows',
    base: { runId },
    filters: { state: { label: t('State'), options: rowStates.map((value) => ({ value, label: stateLabels[value] })) } },
    size: 10,
    ...(state === 'running' ? { refetchMilliseconds: rereadMilliseconds } : {}),
  })
  const { rowPath } = texts
  const link = rowPath === undefined ? {} : { link: (row: Row) => rowPath(row.targetId) }
  const becameOf = ({ failure, outcome, requestId, targetId }: Row) => {
    if (failure !== '')
      return (
        <Text inherit style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
          <WithDates text={t(failure)} />
        </Text>
      )
    if (outcome === undefined) return ''
    const request = requestId === undefined ? undefined : texts.request?.({ requestId, targetId, own })
    const says = texts.outcome(outcome, 1)
    return request !== undefined && may(request.needs, 'View') ? <TextLink to={request.path}>{says}</TextLink> : says
  }
  return (
    <DataTable
      key={`${state} ${state === 'running' ? '' : reached + failed}`}
      list={list}
      label={t('Rows')}
      search={t('Name or reason')}
      views={false}
      exportable={false}
      rowId={(row: Row) => String(row.position)}
      rowName={(row) => row.label}
      columns={[
        { key: 'label', label: t('Name'), cell: (row) => row.label, ...link },
        { key: 'state', label: t('State'), aside: true, cell: (row) => <Status of={kinds[row.state]} label={stateLabels[row.state]} /> },
        { key: 'failure', label: t('Reason'), cell: becameOf },
      ]}
      empty={{ title: t('No rows') }}
    />
  )
}
