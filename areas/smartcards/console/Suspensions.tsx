import { IconPlayerPause } from '@tabler/icons-react'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { smartcards } from '../contract.ts'
import { suspendReason } from './status-words.ts'

export function Suspensions() {
  const sees = useMay()('smartcardReqView', 'View')
  const list = useList(smartcards.calls.suspensions, { key: 'smartcards.suspensions' })
  return (
    <Page title={t('Suspended smartcards')} intro={t('Their certificates are on hold: whoever verifies one refuses it.')}>
      <DataTable
        list={list}
        label={t('Suspended smartcards')}
        rowId={(row) => row.id}
        rowName={(row) => row.serial}
        columns={[
          {
            key: 'serial',
            label: t('Serial number'),
            link: (row) => (sees ? to(smartcards.screens.view, { smartcardId: row.id }) : undefined),
            cell: (row) => row.serial,
          },
          { key: 'userName', label: t('Holder'), cell: (row) => row.userName },
          {
            key: 'suspendedAt',
            label: t('Suspended'),
            cell: (row) => (row.suspendedAt === undefined ? '' : <DateTime at={row.suspendedAt} />),
            csv: (row) => row.suspendedAt ?? '',
          },
          { key: 'suspendedBy', label: t('By'), cell: (row) => row.suspendedBy },
          { key: 'reason', label: t('Reason'), cell: (row) => suspendReason(row.reason) },
          {
            key: 'held',
            label: t('Certificates on hold'),
            align: 'end',
            phone: 'named',
            cell: (row) => t('{held} of {all}', { held: row.held, all: row.certificates }),
            csv: (row) => String(row.held),
          },
          { key: 'replacedBy', label: t('Temporary card'), phone: 'named', cell: (row) => row.replacedBy },
        ]}
        empty={{
          icon: IconPlayerPause,
          title: t('No suspended smartcards'),
          text: t('A card is suspended on its page, for example while somebody looks for it.'),
        }}
      />
    </Page>
  )
}
