import { IconFileSettings } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { groupPolicy } from '../contract.ts'

export function GpoList() {
  const may = useMay()
  const list = useList(groupPolicy.calls.search, { key: 'groupPolicy.list', sort: 'name' })
  return (
    <Page
      title={t('Group policies')}
      intro={t('What the group policies of a Windows domain say about certificates and sign-in, from their backups.')}
    >
      <DataTable
        list={list}
        label={t('Group policies')}
        search={t('Name or GUID')}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          {
            key: 'name',
            label: t('Name'),
            sort: true,
            link: (row) => to(groupPolicy.screens.view, { id: row.id }),
            cell: (row) => row.name,
          },
          { key: 'guid', label: t('GUID'), phone: false, cell: (row) => row.guid },
          {
            key: 'readings',
            label: t('Readings'),
            align: 'end',
            phone: 'named',
            cell: (row) => row.readings,
            csv: (row) => String(row.readings),
          },
          {
            key: 'readAt',
            label: t('Read'),
            sort: true,
            aside: true,
            cell: (row) => <DateTime at={row.readAt} />,
            csv: (row) => row.readAt,
          },
        ]}
        empty={{
          icon: IconFileSettings,
          title: t('No group policies yet'),
          text: t('Read the backup of one: its settings are shown in words, with verdicts on the certificates that it distributes.'),
          ...(may(groupPolicy.screens.read.needs, 'View') && {
            action: <LinkButton to={to(groupPolicy.screens.read)}>{t('Read a backup')}</LinkButton>,
          }),
        }}
      />
    </Page>
  )
}
