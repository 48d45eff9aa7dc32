import { IconApps, IconPlus } from '@tabler/icons-react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { applications } from '../contract.ts'
import { stateLabels } from './labels.ts'

const question = { key: 'applications.all', filters: { state: {} }, sort: 'name' } as const

Applications.ask = (address: URLSearchParams) => askForList(applications.calls.search, question, address)

export function Applications() {
  const list = useList(applications.calls.search, {
    ...question,
    filters: {
      state: { label: t('Status'), options: Object.entries(stateLabels).map(([value, { label }]) => ({ value, label: t(label) })) },
    },
  })
  const add = (
    <LinkButton to={to(applications.screens.add)} leftSection={<IconPlus size={16} stroke={1.8} aria-hidden />}>
      {t('New application')}
    </LinkButton>
  )
  return (
    <Page
      title={t('Applications')}
      intro={t('Accounts for programs. They go on when the person who made them leaves.')}
      actions={list.answer?.total === 0 ? undefined : add}
    >
      <DataTable
        list={list}
        label={t('Applications')}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          {
            key: 'name',
            label: t('Name'),
            sort: true,
            link: (row) => to(applications.screens.view, { id: row.id }),
            cell: (row) => row.name,
          },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={stateLabels[row.state].status} label={t(stateLabels[row.state].label)} />,
            csv: (row) => row.state,
          },
          { key: 'owner', label: t('Owner'), cell: (row) => row.owner.name },
          { key: 'scopes', label: t('Scopes'), cell: (row) => row.scopes.join(', ') },
          {
            key: 'lastUsedAt',
            phone: 'named',
            label: t('Last used'),
            cell: (row) => (row.lastUsedAt === undefined ? t('Never') : <DateTime at={row.lastUsedAt} />),
            csv: (row) => row.lastUsedAt ?? '',
          },
          {
            key: 'endsAt',
            phone: 'named',
            label: t('Ends'),
            cell: (row) => (row.endsAt === undefined ? t('Never') : <DateTime at={row.endsAt} dateOnly />),
            csv: (row) => row.endsAt ?? '',
          },
          {
            key: 'addedAt',
            label: t('Added'),
            sort: true,
            hidden: true,
            cell: (row) => <DateTime at={row.addedAt} dateOnly />,
            csv: (row) => row.addedAt,
          },
        ]}
        rowActions={(row) => [
          { label: t('Open application'), to: to(applications.screens.view, { id: row.id }) },
          { label: t('Edit application'), to: to(applications.screens.edit, { id: row.id }) },
        ]}
        empty={{
          icon: IconApps,
          title: t('No applications yet'),
          text: t('Add one for each program that works with Chancery, with the scopes that it needs and somebody who answers for it.'),
          action: add,
        }}
      />
    </Page>
  )
}
