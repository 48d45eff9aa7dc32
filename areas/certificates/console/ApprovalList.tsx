import { IconChecklist } from '@tabler/icons-react'
import { bulkActionsOf } from '#areas/bulk/bulk-actions.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { ShortNumber } from '#core/console/kit/ShortNumber.tsx'
import { t } from '#core/console/text.ts'
import { certificates } from '../contract.ts'
import { approvalPath } from '../paths.ts'
import { plainSubject } from '../plain-subject.ts'
import { requestStatuses, requestStatusLabels } from '../request-status.ts'
import { RequestState } from './RequestState.tsx'

const questionOf = (waitingForMe: boolean) => ({
  key: waitingForMe ? 'certificates.waiting' : 'certificates.approvals',
  base: { waitingForMe },
  ...(waitingForMe ? {} : { filters: { status: {} } }),
})

export const askForApprovals = (waitingForMe: boolean, address: URLSearchParams) =>
  askForList(certificates.calls.searchApprovals, questionOf(waitingForMe), address)

/** The card desk asks in the name of whoever will hold the card. */
const requesterOf = ({ requester, askedBy }: { requester: string; askedBy?: string | undefined }): string =>
  askedBy === undefined ? requester : t('For {name} ({asked})', { name: requester, asked: askedBy })

export function ApprovalList({ waitingForMe }: { waitingForMe: boolean }) {
  const list = useList(certificates.calls.searchApprovals, {
    ...questionOf(waitingForMe),
    filters: waitingForMe
      ? {}
      : { status: { label: t('Status'), options: requestStatuses.map((value) => ({ value, label: t(requestStatusLabels[value]) })) } },
    refetchMilliseconds: 30_000,
    versionOf: (row) => [row.requestId, row.round],
  })
  return (
    <DataTable
      list={list}
      label={waitingForMe ? t('Waiting for me') : t('Approvals')}
      search={waitingForMe ? false : t('Subject, template or requester')}
      rowId={(row) => row.requestId}
      bulk={bulkActionsOf(list.key)}
      rowName={(row) => plainSubject(row.subject)}
      columns={[
        {
          key: 'subject',
          label: t('Subject'),
          link: (row) => approvalPath(row.requestId),
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
        { key: 'requester', label: t('Requested by'), cell: (row) => requesterOf(row) },
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
          cell: (row) => t('{approvals} of {needed}', { approvals: row.approvals, needed: row.needed }),
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
          hidden: waitingForMe,
        },
      ]}
      empty={
        waitingForMe
          ? {
              icon: IconChecklist,
              title: t('Nothing waits for you'),
              text: t('When somebody asks for a certificate that needs approval, it appears here and on the bell.'),
            }
          : {
              icon: IconChecklist,
              title: t('No requests yet'),
              text: t('Requests made with a template that asks for approval appear here.'),
            }
      }
    />
  )
}
