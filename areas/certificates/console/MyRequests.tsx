import { IconFileCheck } from '@tabler/icons-react'
import { bulkActionsOf } from '#areas/bulk/bulk-actions.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { ShortNumber } from '#core/console/kit/ShortNumber.tsx'
import { t } from '#core/console/text.ts'
import { certificates } from '../contract.ts'
import { myRequestPath } from '../paths.ts'
import { plainSubject } from '../plain-subject.ts'
import { requestStatuses, requestStatusLabels } from '../request-status.ts'
import { RequestState } from './RequestState.tsx'

const question = { key: 'certificates.mine', filters: { status: {} } } as const

MyRequests.ask = (address: URLSearchParams) => askForList(certificates.calls.requests, question, address)

export function MyRequests() {
  const list = useList(certificates.calls.requests, {
    ...question,
    filters: { status: { label: t('Status'), options: requestStatuses.map((value) => ({ value, label: t(requestStatusLabels[value]) })) } },
  })
  return (
    <DataTable
      list={list}
      label={t('My requests')}
      search={t('Subject, template or requester')}
      rowId={(row) => row.requestId}
      bulk={bulkActionsOf(list.key)}
      rowName={(row) => plainSubject(row.subject)}
      columns={[
        {
          key: 'subject',
          label: t('Subject'),
          link: (row) => myRequestPath(row.entity, row.requestId),
          cell: (row) => plainSubject(row.subject),
          csv: (row) => row.subject,
        },
        {
          key: 'status',
          label: t('Status'),
          aside: true,
          cell: (row) => <RequestState status={row.status} onHold={row.onHold} renewed={row.renewed} withdrawn={row.withdrawn} />,
          csv: (row) => (row.onHold ? 'onHold' : row.status),
        },
        {
          key: 'kind',
          label: t('Asks for'),
          cell: (row) => (row.renews === undefined ? t('New certificate') : t('Renewal')),
          phone: false,
        },
        { key: 'templateName', label: t('Template'), cell: (row) => row.templateName },
        {
          key: 'approvals',
          label: t('Approvals'),
          cell: (row) =>
            row.needed === 0 ? t('None needed') : t('{approvals} of {needed}', { approvals: row.approvals, needed: row.needed }),
        },
        {
          key: 'createdAt',
          label: t('Asked'),
          cell: (row) => <DateTime at={row.createdAt} />,
          csv: (row) => row.createdAt,
          phone: 'named',
        },
        {
          key: 'serialNumber',
          label: t('Serial number'),
          cell: (row) => row.serialNumber !== undefined && <ShortNumber value={row.serialNumber} label={t('Serial number')} />,
          csv: (row) => row.serialNumber ?? '',
        },
      ]}
      empty={{ icon: IconFileCheck, title: t('No requests yet'), text: t('What you ask for appears here with its status.') }}
    />
  )
}
