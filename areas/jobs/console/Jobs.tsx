// What runs by itself, when, and how it went. The list follows along: a job that was started shows its end within seconds.

import { Text } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { jobs } from '../contract.ts'
import { planOf } from '../rules.ts'

const refetchMilliseconds = 5_000
const kinds = { running: 'issuing', done: 'done', failed: 'failed', lost: 'failed' } as const
const labels = { running: 'Running', done: 'Done', failed: 'Failed', lost: 'Given up' } as const

const question = { key: 'jobs.all', size: 100 } as const

Jobs.ask = (address: URLSearchParams) => askForList(jobs.calls.search, question, address)

export function Jobs() {
  const list = useList(jobs.calls.search, { ...question, refetchMilliseconds })
  const wake = useSend(jobs.calls.wake)
  if (list.fault?.code === 'notYours')
    return (
      <Page title={t('Jobs')}>
        <EmptyState
          title={t('Jobs belong to the whole installation')}
          text={t('The people of its management tenancy see when they run and how they went.')}
        />
      </Page>
    )
  return (
    <Page title={t('Jobs')}>
      <DataTable
        list={list}
        label={t('Jobs')}
        rowId={(row) => row.name}
        rowName={(row) => row.title}
        columns={[
          { key: 'title', label: t('Job'), cell: (row) => t(row.title), csv: (row) => row.title },
          {
            key: 'outcome',
            label: t('Last run'),
            aside: true,
            cell: (row) => (row.outcome === undefined ? t('Not yet') : <Status of={kinds[row.outcome]} label={t(labels[row.outcome])} />),
            csv: (row) => row.outcome ?? '',
          },
          { key: 'startedAt', label: t('Began'), cell: (row) => <DateTime at={row.startedAt} />, csv: (row) => row.startedAt ?? '' },
          {
            key: 'tenancies',
            label: t('Tenancies'),
            phone: false,
            cell: (row) => tenanciesText(row),
            csv: (row) => String(row.tenancies ?? ''),
          },
          { key: 'every', label: t('Plan'), cell: (row) => planText(row.every), csv: (row) => row.every },
          {
            key: 'error',
            label: t('Failed of'),
            phone: false,
            cell: (row) =>
              row.error !== '' && (
                <Text size="sm" lineClamp={3} title={t(row.error)}>
                  {t(row.error)}
                </Text>
              ),
            csv: (row) => row.error,
          },
        ]}
        rowActions={(row) => [
          { label: t('Run job'), icon: IconPlayerPlay, onClick: () => void wake.run({ name: row.name }).catch(() => {}) },
        ]}
        empty={{ title: t('No jobs'), text: t('No room of this installation has recurring work.') }}
      />
    </Page>
  )
}

function tenanciesText({ tenancies, failed }: { tenancies?: number | undefined; failed?: number | undefined }): string {
  if (tenancies === undefined) return ''
  return failed === undefined || failed === 0 ? String(tenancies) : t('{tenancies}, failed in {failed}', { tenancies, failed })
}

function planText(every: string): string {
  const { says, values } = planOf(every)
  return t(says, values)
}
