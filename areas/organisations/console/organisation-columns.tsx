// The columns of a list of organisations.

import { Text } from '@mantine/core'
import { formatNumber, t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { organisations } from '../contract.ts'
import { typeLabels } from './labels.ts'

type Row = OutputOf<typeof organisations.calls.search>['rows'][number]

export const organisationColumns = () => [
  {
    key: 'name',
    label: t('Name'),
    sort: true,
    link: (row: Row) => to(organisations.screens.view, { id: row.id }),
    cell: (row: Row) => row.name,
  },
  {
    key: 'type',
    label: t('Type'),
    sort: true,
    aside: true,
    cell: (row: Row) => t(typeLabels[row.type].label),
    csv: (row: Row) => row.type,
  },
  { key: 'above', label: t('Place'), cell: (row: Row) => row.above.join(' › ') },
  {
    key: 'businessNumber',
    label: t('Business number'),
    csv: (row: Row) => row.businessNumber,
    cell: (row: Row) =>
      row.numberFault === '' ? (
        row.businessNumber
      ) : (
        <Text span inherit c="var(--chancery-warn)" title={t(row.numberFault)}>
          {t('{number}, wrong', { number: row.businessNumber })}
        </Text>
      ),
  },
  {
    key: 'people',
    label: t('People'),
    align: 'end' as const,
    phone: false as const,
    csv: (row: Row) => String(row.people),
    cell: (row: Row) => formatNumber(row.people),
  },
]
