import { IconListCheck } from '@tabler/icons-react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { orderStatuses } from '#standards/acme/states.ts'
import { acme } from '../contract.ts'
import { orderWords } from './order-words.ts'

export function Orders() {
  const list = useList(acme.calls.orders, {
    key: 'acme.orders',
    filters: { status: { label: t('Status'), options: orderStatuses.map((value) => ({ value, label: t(orderWords[value].label) })) } },
  })
  return (
    <DataTable
      list={list}
      label={t('Orders')}
      views={false}
      rowId={(row) => row.id}
      rowName={(row) => row.names[0] ?? ''}
      columns={[
        {
          key: 'names',
          label: t('Names'),
          link: (row) => to(acme.screens.order, { id: row.id }),
          cell: (row) => row.names.join(', '),
        },
        {
          key: 'status',
          label: t('Status'),
          aside: true,
          cell: (row) => <Status of={orderWords[row.status].kind} label={t(orderWords[row.status].label)} />,
          csv: (row) => t(orderWords[row.status].label),
        },
        { key: 'error', label: t('Why'), cell: (row) => row.error?.detail ?? '' },
        { key: 'directoryName', label: t('Directory'), cell: (row) => row.directoryName },
        { key: 'profile', label: t('Profile'), cell: (row) => row.profile },
        { key: 'createdAt', label: t('Ordered'), cell: (row) => <DateTime at={row.createdAt} />, csv: (row) => row.createdAt },
      ]}
      empty={{
        icon: IconListCheck,
        title: t('No orders yet'),
        text: t('What clients order stands here, with each attempt to prove a name.'),
      }}
    />
  )
}
