// What was ordered from external ACME authorities, with where each order stands.

import { IconWorldDownload } from '@tabler/icons-react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { EndDate } from '#core/console/kit/EndDate.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { ordering } from '../contract.ts'
import { orderStatus, stepLabels } from './order-words.ts'

export function Orders() {
  const list = useList(ordering.calls.orders, {
    key: 'ordering.orders',
    filters: {
      state: {
        label: t('Status'),
        options: [
          { value: 'underWay', label: t('Under way') },
          { value: 'failed', label: t('Failed') },
          { value: 'obtained', label: t('Obtained') },
        ],
      },
    },
  })
  const add = <LinkButton to={to(ordering.screens.addOrder)}>{t('New order')}</LinkButton>
  return (
    <Page title={t("Let's Encrypt and other ACME authorities")}>
      <DataTable
        list={list}
        label={t('ACME orders')}
        views={false}
        rowId={(row) => row.id}
        rowName={(row) => row.names[0] ?? ''}
        columns={[
          {
            key: 'names',
            label: t('Names'),
            link: (row) => to(ordering.screens.order, { id: row.id }),
            cell: (row) => row.names.join(', '),
          },
          {
            key: 'status',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={orderStatus(row).kind} label={t(orderStatus(row).label)} />,
            csv: (row) => t(orderStatus(row).label),
          },
          { key: 'step', label: t('Step'), cell: (row) => t(stepLabels[row.step]) },
          { key: 'authorityName', label: t('Authority'), cell: (row) => row.authorityName },
          {
            key: 'notAfter',
            label: t('Ends'),
            cell: (row) => (row.notAfter === undefined ? '' : <EndDate at={row.notAfter} />),
            csv: (row) => row.notAfter ?? '',
          },
          { key: 'renewAt', label: t('Renewed'), cell: (row) => <DateTime at={row.renewAt} />, csv: (row) => row.renewAt ?? '' },
          { key: 'ownerName', label: t('Owner'), cell: (row) => row.ownerName },
          { key: 'problem', label: t('Why'), cell: (row) => row.problem?.detail ?? '' },
        ]}
        empty={{
          icon: IconWorldDownload,
          title: t('No orders yet'),
          text: t(
            "Certificates from Let's Encrypt or any other ACME authority: ordered here, kept in the inventory, renewed by themselves.",
          ),
          action: add,
        }}
      />
    </Page>
  )
}
