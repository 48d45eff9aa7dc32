import { IconUsersGroup } from '@tabler/icons-react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { visitors } from '../contract.ts'
import { visitLabels } from './labels.ts'

export function Visits() {
  const list = useList(visitors.calls.search, {
    key: 'visitors.all',
    filters: {
      state: { label: t('Status'), options: Object.entries(visitLabels).map(([value, { label }]) => ({ value, label: t(label) })) },
    },
  })
  return (
    <Page title={t('Visitors')} intro={t('Who comes to see whom, and who is in the house now.')}>
      <DataTable
        list={list}
        label={t('Visitors')}
        search={t('Name or company')}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          { key: 'name', label: t('Visitor'), link: (row) => to(visitors.screens.visit, { id: row.id }), cell: (row) => row.name },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={visitLabels[row.state].of} label={t(visitLabels[row.state].label)} />,
            csv: (row) => row.state,
          },
          { key: 'company', label: t('Company'), cell: (row) => row.company },
          { key: 'host', label: t('Host of the visit'), cell: (row) => row.host.name },
          { key: 'from', label: t('From'), phone: 'named', cell: (row) => <DateTime at={row.from} />, csv: (row) => row.from },
          { key: 'until', label: t('Until'), phone: 'named', cell: (row) => <DateTime at={row.until} />, csv: (row) => row.until },
        ]}
        empty={{ icon: IconUsersGroup, title: t('No visitors yet'), text: t('A visit says who comes to see whom, and how long.') }}
      />
    </Page>
  )
}
