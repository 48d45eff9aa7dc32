import { certificates } from '#areas/certificates/contract.ts'
import { plainSubject } from '#areas/certificates/plain-subject.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable, type RowAction } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Mono } from '#core/console/kit/Mono.tsx'
import type { EmptyStateProps } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { toast } from '#core/console/toasts.ts'
import { to } from '#core/contract/paths.ts'
import { revocation, type RevocationRow } from '../contract.ts'
import { actionOf, actions, isRelease, reasonTexts, type RevocationState } from '../rules.ts'
import { actionLabels, stateOf, textsFor } from './actions.ts'
import { cancelQuestion } from './cancelling.ts'

export type RevocationTableProps = {
  listKey: string
  label: string
  states: readonly RevocationState[]
  /** Shows these states and no others; without it they are the filter's choices. */ only?: boolean
  empty: EmptyStateProps
}

const stateLabels: Record<RevocationState, string> = {
  pending: 'Pending',
  revoked: 'Revoked',
  released: 'Released',
  denied: 'Denied',
  cancelled: 'Cancelled',
  failed: 'Failed',
}

type Shown = Pick<RevocationTableProps, 'listKey' | 'states' | 'only'>

const questionOf = ({ listKey, states, only = false }: Shown) => ({
  key: listKey,
  ...(only ? { base: { states: [...states] } } : {}),
  filters: { actions: { many: true }, states: { many: true } },
  sort: 'requestedAt',
  direction: 'desc' as const,
})

export const askForRevocations = (shown: Shown, address: URLSearchParams) => askForList(revocation.calls.search, questionOf(shown), address)

export function RevocationTable({ listKey, label, states, only = false, empty }: RevocationTableProps) {
  const may = useMay()
  const cancel = useSend(revocation.calls.cancel)
  const retry = useSend(revocation.calls.retry, { invalidates: ['certificates', 'home'] })
  const list = useList(revocation.calls.search, {
    ...questionOf({ listKey, states, only }),
    filters: {
      actions: { label: t('What'), many: true, options: actions.map((value) => ({ value, label: t(actionLabels[value]) })) },
      states: { label: t('State'), many: true, options: states.map((value) => ({ value, label: t(stateLabels[value]) })) },
    },
  })
  const detailed = may(revocation.screens.viewPending.needs, 'View')
  const path = (row: RevocationRow) =>
    detailed
      ? to(revocation.screens.viewPending, { certId: row.certificateId })
      : to(certificates.screens.view, { certId: row.certificateId })

  const cancelOne = async (row: RevocationRow): Promise<void> => {
    if (await confirm(cancelQuestion(row)))
      await cancel.run({ revocationId: row.revocationId }).catch((error: unknown) => toastFault(error, t('The request was not cancelled')))
  }
  const retryOne = async (row: RevocationRow): Promise<void> => {
    await retry.run({ revocationId: row.revocationId }).then(
      ({ ok }) => toast(ok ? { kind: 'success', title: textsFor(row).done() } : { kind: 'error', title: textsFor(row).failed() }),
      (error: unknown) => toastFault(error, textsFor(row).failed()),
    )
  }
  const rowActions = (row: RevocationRow): (RowAction | false)[] => [
    { label: t('Show certificate'), to: to(certificates.screens.view, { certId: row.certificateId }) },
    row.state === 'pending' &&
      may('certRevokeView') && { label: t('Cancel the request'), danger: true, onClick: () => void cancelOne(row) },
    row.state === 'failed' && !isRelease(row) && may('certRevokeView') && { label: t('Try again'), onClick: () => void retryOne(row) },
  ]

  return (
    <DataTable
      list={list}
      label={label}
      search={t('Subject, serial number or person')}
      rowId={(row) => row.revocationId}
      rowName={(row) => plainSubject(row.subject)}
      rowActions={rowActions}
      columns={[
        {
          key: 'subject',
          label: t('Certificate'),
          sort: true,
          link: path,
          cell: (row) => (row.subject === '' ? row.serialNumber : plainSubject(row.subject)),
          csv: (row) => row.subject,
        },
        { key: 'state', label: t('State'), sort: true, aside: true, cell: (row) => <Status {...stateOf(row)} />, csv: (row) => row.state },
        { key: 'action', label: t('What'), cell: (row) => t(actionLabels[actionOf(row.reason)]) },
        {
          key: 'reason',
          label: t('Reason'),
          cell: (row) => (actionOf(row.reason) === 'revocation' ? t(reasonTexts[row.reason].label) : ''),
          csv: (row) => row.reason,
        },
        { key: 'requester', label: t('Asked for by'), cell: (row) => row.requester },
        {
          key: 'requestedAt',
          label: t('Asked for'),
          sort: true,
          cell: (row) => <DateTime at={row.requestedAt} />,
          csv: (row) => row.requestedAt,
        },
        { key: 'decidedBy', label: t('Decided by'), hidden: true, cell: (row) => row.decidedBy ?? '' },
        { key: 'caName', label: t('Authority'), hidden: true, cell: (row) => row.caName },
        {
          key: 'serialNumber',
          label: t('Serial number'),
          hidden: true,
          cell: (row) => <Mono value={row.serialNumber} />,
          csv: (row) => row.serialNumber,
        },
      ]}
      empty={empty}
    />
  )
}
