import { IconStack2 } from '@tabler/icons-react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { askForList, useList, type RowOf } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { formatNumber, t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { bulkOffer } from '../bulk-actions.tsx'
import { bulk } from '../contract.ts'
import { runStates } from '../rules.ts'
import { RunState } from './RunState.tsx'

const rereadMilliseconds = 5_000

const doneOf = ({ reached, failed, requested }: RowOf<typeof bulk.calls.search>): number => reached - failed - requested

const question = { key: 'bulk.runs', filters: { states: { many: true } } } as const

BulkRuns.ask = (address: URLSearchParams) => askForList(bulk.calls.search, question, address)

export function BulkRuns() {
  const texts = { prepared: t('Not confirmed'), running: t('Running'), done: t('Done'), cancelled: t('Stopped') }
  const list = useList(bulk.calls.search, {
    ...question,
    filters: {
      states: { ...question.filters.states, label: t('State'), options: runStates.map((value) => ({ value, label: texts[value] })) },
    },
    refetchMilliseconds: rereadMilliseconds,
  })
  return (
    <Page title={t('Bulk work')} intro={t('The same action on many rows, done in the background.')}>
      <DataTable
        list={list}
        label={t('Bulk work')}
        search={t('Who started it')}
        rowId={(row) => row.runId}
        rowName={(row) => bulkOffer(row.action)?.label() ?? row.action}
        columns={[
          {
            key: 'action',
            label: t('Work'),
            link: (row) => to(bulk.screens.run, { runId: row.runId }),
            cell: (row) => bulkOffer(row.action)?.label() ?? row.action,
          },
          {
            key: 'state',
            label: t('State'),
            aside: true,
            cell: (row) => <RunState state={row.state} failed={row.failed} requested={row.requested} total={row.total} />,
            csv: (row) => row.state,
          },
          { key: 'total', label: t('Rows'), align: 'end', cell: (row) => formatNumber(row.total), csv: (row) => String(row.total) },
          {
            key: 'reached',
            label: t('Done'),
            align: 'end',
            phone: false,
            cell: (row) => formatNumber(doneOf(row)),
            csv: (row) => String(doneOf(row)),
          },
          {
            key: 'requested',
            label: t('Requested'),
            align: 'end',
            phone: false,
            cell: (row) => formatNumber(row.requested),
            csv: (row) => String(row.requested),
          },
          {
            key: 'failed',
            label: t('Failed'),
            align: 'end',
            phone: false,
            cell: (row) => formatNumber(row.failed),
            csv: (row) => String(row.failed),
          },
          { key: 'actor', label: t('Started by'), cell: (row) => row.actor },
          { key: 'preparedAt', label: t('Chosen'), cell: (row) => <DateTime at={row.preparedAt} />, csv: (row) => row.preparedAt },
        ]}
        empty={{
          icon: IconStack2,
          title: t('No bulk work yet'),
          text: t('Tick rows in a list, such as the inventory of certificates, and choose what to do with all of them.'),
        }}
      />
    </Page>
  )
}
