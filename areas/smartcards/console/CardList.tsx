import { IconId } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchPageSize } from '#core/contract/search.ts'
import { smartcards } from '../contract.ts'
import { cardStatuses } from '../rules.ts'
import { CardStatusMark } from './CardStatusMark.tsx'
import { statusWords } from './status-words.ts'

export function CardList() {
  const may = useMay()
  const list = useList(smartcards.calls.search, {
    key: 'smartcards.all',
    sort: 'addedAt',
    direction: 'desc',
    size: searchPageSize,
    filters: {
      status: { label: t('Status'), many: true, options: cardStatuses.map((value) => ({ value, label: t(statusWords[value].label) })) },
    },
  })
  const desk = may('smartcardManage', 'View') ? <LinkButton to={to(smartcards.screens.desk)}>{t('Open card desk')}</LinkButton> : undefined
  return (
    <Page title={t('Smartcards')} actions={desk}>
      <DataTable
        list={list}
        label={t('Smartcards')}
        rowId={(row) => row.id}
        rowName={(row) => row.serial}
        columns={[
          {
            key: 'serial',
            label: t('Serial number'),
            sort: true,
            link: (row) => to(smartcards.screens.view, { smartcardId: row.id }),
            cell: (row) => row.serial,
          },
          {
            key: 'status',
            label: t('Status'),
            aside: true,
            cell: (row) => <CardStatusMark of={row.status} pinBlocked={row.pinBlocked} />,
            csv: (row) => t(statusWords[row.status].label),
          },
          { key: 'userName', label: t('Holder'), cell: (row) => row.userName },
          { key: 'cardTemplateName', label: t('Template'), cell: (row) => row.cardTemplateName },
          { key: 'certificates', label: t('Certificates'), align: 'end', phone: 'named', cell: (row) => row.certificates },
          {
            key: 'addedAt',
            label: t('Registered'),
            sort: true,
            cell: (row) => <DateTime at={row.addedAt} dateOnly />,
            csv: (row) => row.addedAt,
          },
        ]}
        empty={{
          icon: IconId,
          title: t('No smartcards yet'),
          text: t('Put a card into a reader and register it at the card desk.'),
          ...(desk === undefined ? {} : { action: desk }),
        }}
      />
    </Page>
  )
}
