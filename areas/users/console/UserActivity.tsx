// The events about one person, from the audit log.

import { audit } from '#areas/audit/contract.ts'
import { eventLabels } from '#areas/audit/event-labels.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'

export function UserActivity({ id }: { id: string }) {
  const may = useMay()
  const list = useList(audit.calls.search, { key: 'users.activity', base: { about: id }, sort: 'at', direction: 'desc' })
  return (
    <DataTable
      list={list}
      label={t('Activity')}
      search={false}
      views={false}
      rowId={(row) => row.id}
      rowName={(row) => row.name}
      columns={[
        { key: 'at', label: t('When'), sort: true, cell: (row) => <DateTime at={row.at} />, csv: (row) => row.at },
        { key: 'name', label: t('What'), cell: (row) => eventLabels(row.area, row.name) },
        { key: 'outcome', label: t('Outcome'), aside: true, cell: (row) => <Status of={row.outcome} />, csv: (row) => row.outcome },
        { key: 'actor', label: t('Who'), cell: (row) => row.actor },
        { key: 'address', label: t('From'), cell: (row) => row.address },
      ]}
      tools={
        may('audit', 'View') && (
          <LinkButton variant="default" to={to(audit.screens.dashboard, {}, { about: id })}>
            {t('Open in the audit log')}
          </LinkButton>
        )
      }
      empty={{ title: t('Nothing has been recorded yet'), text: t('Whatever is done with this account shows here.') }}
    />
  )
}
