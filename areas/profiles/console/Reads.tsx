// A tab of a person's page: who was shown sensitive details, and what for.

import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { useList } from '#core/console/kit/list.ts'
import { t } from '#core/console/text.ts'
import { profiles } from '../contract.ts'
import { titleOfGroup } from './group-title.ts'

export function Reads({ userId }: { userId: string }) {
  const list = useList(profiles.calls.reads, { key: 'profiles.reads', base: { userId } })
  return (
    <DataTable
      list={list}
      label={t('Who read the data')}
      search={false}
      views={false}
      rowId={(row) => row.id}
      rowName={(row) => row.reader}
      columns={[
        { key: 'readAt', label: t('When'), aside: true, cell: (row) => <DateTime at={row.readAt} />, csv: (row) => row.readAt },
        { key: 'reader', label: t('Who'), cell: (row) => row.reader },
        { key: 'group', label: t('What'), cell: (row) => t(titleOfGroup(row.group)) },
        { key: 'purpose', label: t('What for'), cell: (row) => row.purpose },
      ]}
      empty={{
        title: t('Nobody was shown sensitive details'),
        text: t('Whoever is shown medical details or the home address stands here.'),
      }}
    />
  )
}
