import { IconUsersGroup } from '@tabler/icons-react'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { useList } from '#core/console/kit/list.ts'
import { ShortNumber } from '#core/console/kit/ShortNumber.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { accountStatuses, type AccountStatus } from '#standards/acme/states.ts'
import { acme } from '../contract.ts'

const words: Record<AccountStatus, { kind: string; label: string }> = {
  valid: { kind: 'active', label: 'Active' },
  deactivated: { kind: 'disabled', label: 'Abandoned' },
  revoked: { kind: 'revoked', label: 'Ended here' },
}

export function Accounts() {
  const list = useList(acme.calls.accounts, {
    key: 'acme.accounts',
    filters: { status: { label: t('Status'), options: accountStatuses.map((value) => ({ value, label: t(words[value].label) })) } },
  })
  const end = useSend(acme.calls.deactivateAccount)
  const askAndEnd = async (id: string): Promise<void> => {
    const sure = await confirm({
      title: t('Deactivate this account?'),
      consequence: t('Its client can order and renew nothing more. Certificates that it has stay valid.'),
      action: t('Deactivate account'),
      keep: t('Keep account'),
      danger: true,
    })
    if (sure) await end.run({ id }).catch((error: unknown) => toastFault(error, t('The account was not deactivated')))
  }
  return (
    <DataTable
      list={list}
      label={t('Accounts')}
      views={false}
      rowId={(row) => row.id}
      rowName={(row) => row.contact[0] ?? row.thumbprint}
      columns={[
        {
          key: 'contact',
          label: t('Contact'),
          cell: (row) => row.contact.map((one) => one.replace(/^mailto:/i, '')).join(', ') || t('None'),
        },
        {
          key: 'status',
          label: t('Status'),
          aside: true,
          cell: (row) => <Status of={words[row.status].kind} label={t(words[row.status].label)} />,
          csv: (row) => t(words[row.status].label),
        },
        { key: 'directoryName', label: t('Directory'), cell: (row) => row.directoryName },
        {
          key: 'thumbprint',
          label: t('Key'),
          cell: (row) => <ShortNumber value={row.thumbprint} label={t('Key')} />,
          csv: (row) => row.thumbprint,
        },
        { key: 'keyType', label: t('Key type'), cell: (row) => row.keyType },
        { key: 'eabName', label: t('EAB key'), cell: (row) => row.eabName ?? t('None') },
        { key: 'orders', label: t('Orders'), cell: (row) => row.orders },
        { key: 'address', label: t('From'), cell: (row) => row.address },
        { key: 'lastSeenAt', label: t('Last seen'), cell: (row) => <DateTime at={row.lastSeenAt} />, csv: (row) => row.lastSeenAt },
      ]}
      rowActions={(row) =>
        row.status === 'valid' ? [{ label: t('Deactivate account'), danger: true, onClick: () => void askAndEnd(row.id) }] : []
      }
      empty={{
        icon: IconUsersGroup,
        title: t('No accounts yet'),
        text: t('A client registers by itself when it first comes. “Command lines” says how.'),
      }}
    />
  )
}
