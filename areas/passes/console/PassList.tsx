import { IconId, IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList, type RowOf } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { ViewTabs } from '#core/console/kit/ViewTabs.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { passes } from '../contract.ts'
import { kindLabels, misplacedLabels, passKinds, passStatuses, statusLabels } from '../rules.ts'
import { ExpiryDialog, MisplacedDialog } from './PassDialogs.tsx'
import { PassStatus } from './PassStatus.tsx'

const listKey = 'passes.all'
const question = { key: listKey, filters: { status: { many: true }, cardType: {} }, sort: 'passNumber', direction: 'asc' } as const

type Row = RowOf<typeof passes.calls.search>

PassList.ask = (address: URLSearchParams) => askForList(passes.calls.search, question, address)

export function PassList() {
  const may = useMay()
  const [asking, setAsking] = useState<{ about: 'expiry' | 'misplaced'; pass: Row }>()
  const giveBack = useSend(passes.calls.giveBack)
  const activate = useSend(passes.calls.activate)
  const list = useList(passes.calls.search, {
    ...question,
    ahead: question,
    filters: {
      status: {
        label: t('Status'),
        many: true,
        options: passStatuses.map((value) => ({ value, label: value === 'expired' ? t('Not returned') : t(statusLabels[value]) })),
      },
      cardType: { label: t('Kind'), options: passKinds.map((value) => ({ value, label: t(kindLabels[value]) })) },
    },
  })
  const takeBack = async ({ passNumber, givenName, lastName }: Row) => {
    const sure = await confirm({
      title: t('Take back pass {passNumber}?', { passNumber }),
      consequence: t('{name} no longer has it, and it can be issued again.', { name: `${givenName} ${lastName}` }),
      action: t('Take back'),
      keep: t('Leave it issued'),
      danger: false,
    })
    if (sure)
      await giveBack.run({ passNumber }).catch((error: unknown) => toastFault(error, t('An error occurred while updating card status')))
  }
  const set = ({ passNumber }: Row, status: 'active' | 'inactive') =>
    void activate
      .run({ passNumber, status })
      .catch((error: unknown) => toastFault(error, t('An error occurred while updating card status')))
  const here = to(passes.screens.manage)
  return (
    <Page
      title={t('Passes')}
      actions={
        <LinkButton to={to(passes.screens.print)} variant="default" leftSection={<IconPrinter size={16} stroke={1.8} aria-hidden />}>
          {t('Print passes')}
        </LinkButton>
      }
      views={
        <ViewTabs
          listKeys={[listKey]}
          label={t('Passes')}
          views={[
            { key: 'all', label: t('All'), to: here },
            { key: 'issued', label: t('Issued'), to: here, query: { status: 'issued' } },
            { key: 'expired', label: t('Not returned'), to: here, query: { status: 'expired' } },
            { key: 'available', label: t('Available'), to: here, query: { status: 'available' } },
            { key: 'misplaced', label: t('Lost or stolen'), to: here, query: { status: 'misplaced' } },
          ]}
        />
      }
    >
      <DataTable
        list={list}
        label={t('Passes')}
        search={t('Number or name of the holder')}
        rowId={(row) => row.id}
        rowName={(row) => row.passNumber}
        columns={[
          { key: 'passNumber', label: t('Number'), sort: true, cell: (row) => row.passNumber, csv: (row) => row.passNumber },
          {
            key: 'status',
            label: t('Status'),
            aside: true,
            cell: (row) => <PassStatus of={row.status} />,
            csv: (row) => row.status,
          },
          {
            key: 'holder',
            label: t('Holder'),
            phone: 'named',
            cell: (row) => `${row.givenName} ${row.lastName}`.trim(),
            csv: (row) => `${row.givenName} ${row.lastName}`.trim(),
          },
          { key: 'kind', label: t('Kind'), cell: (row) => t(kindLabels[row.cardType]), csv: (row) => row.cardType },
          {
            key: 'validDate',
            label: t('Valid from'),
            phone: false,
            priority: 0,
            cell: (row) => row.validDate !== undefined && <DateTime at={row.validDate} />,
            csv: (row) => row.validDate ?? '',
          },
          {
            key: 'expirationDate',
            label: t('Valid until'),
            phone: 'named',
            sort: true,
            cell: (row) => row.expirationDate !== undefined && <DateTime at={row.expirationDate} />,
            csv: (row) => row.expirationDate ?? '',
          },
          {
            key: 'reason',
            label: t('Reason'),
            phone: false,
            cell: (row) => (row.reason === 'lost' || row.reason === 'stolen' ? t(misplacedLabels[row.reason]) : row.reason),
            csv: (row) => row.reason,
          },
        ]}
        rowActions={(row) => {
          const isOut = row.status === 'issued' || row.status === 'expired'
          return [
            isOut && { label: t('Take back'), onClick: () => void takeBack(row) },
            isOut && { label: t('Change expiry'), onClick: () => setAsking({ about: 'expiry', pass: row }) },
            row.status !== 'misplaced' && { label: t('Lost or stolen'), onClick: () => setAsking({ about: 'misplaced', pass: row }) },
            row.status === 'available' && { label: t('Take out of use'), onClick: () => set(row, 'inactive') },
            (row.status === 'misplaced' || row.status === 'inactive') && {
              label: t('Put back into use'),
              onClick: () => set(row, 'active'),
            },
            row.userID !== undefined &&
              may('userView', 'View') && { label: t('Open user'), to: to(users.screens.view, { id: row.userID }) },
          ]
        }}
        empty={{
          icon: IconId,
          title: t('No passes here'),
          text: t('Print passes, or take into stock those that were printed elsewhere. Then they can be issued.'),
          action: <LinkButton to={to(passes.screens.print)}>{t('Print passes')}</LinkButton>,
        }}
      />
      {asking?.about === 'expiry' && <ExpiryDialog pass={asking.pass} onClose={() => setAsking(undefined)} />}
      {asking?.about === 'misplaced' && <MisplacedDialog pass={asking.pass} onClose={() => setAsking(undefined)} />}
    </Page>
  )
}
