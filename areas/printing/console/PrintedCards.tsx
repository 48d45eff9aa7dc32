// Every card that was printed or waits to be, by person: printed again with a reason, or deactivated.

import { IconId } from '@tabler/icons-react'
import { useState } from 'react'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { askForList, useList, type RowOf } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { to } from '#core/contract/paths.ts'
import { printing } from '../contract.ts'
import { endedStates, printLabels, printStates } from '../rules.ts'
import { remarksOf } from './batch-columns.tsx'
import { PrintAgain } from './PrintAgain.tsx'

const question = { key: 'printing.printed', filters: { state: {} } } as const

type Row = RowOf<typeof printing.calls.printed>

PrintedCards.ask = (address: URLSearchParams) => askForList(printing.calls.printed, question, address)

export function PrintedCards() {
  const seesStatus = useMay()('smartcardBatchFilesPrintStatus', 'View')
  const [again, setAgain] = useState<Row>()
  const deactivate = useSend(printing.calls.deactivate)
  const list = useList(printing.calls.printed, {
    ...question,
    ahead: question,
    filters: { state: { label: t('Status'), options: printStates.map((value) => ({ value, label: t(printLabels[value].label) })) } },
  })
  const spoil = async (card: Row) => {
    const sure = await confirm({
      title: t('Deactivate the card of {name}?', { name: card.userName }),
      consequence: t('It counts as spoilt. It can be printed again afterwards.'),
      action: t('Deactivate card'),
      keep: t('Keep card'),
    })
    if (sure)
      await deactivate
        .run({ printedCardId: card.id })
        .catch((error: unknown) => toastFault(error, t('The printed card was not deactivated')))
  }
  return (
    <Page title={t('Printed cards')}>
      <DataTable
        list={list}
        label={t('Printed cards')}
        search={t('Name or username')}
        rowId={(row) => row.id}
        rowName={(row) => row.userName}
        columns={[
          { key: 'person', label: t('Person'), cell: (row) => row.userName, csv: (row) => row.userName },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: ({ state }) => <Status of={printLabels[state].kind} label={t(printLabels[state].label)} />,
            csv: (row) => row.state,
          },
          { key: 'template', label: t('Template of cards'), cell: (row) => row.cardTemplateName, csv: (row) => row.cardTemplateName },
          { key: 'printer', label: t('Printer'), phone: false, cell: (row) => row.printer, csv: (row) => row.printer },
          { key: 'says', label: t('Remark'), phone: false, cell: remarksOf, csv: remarksOf },
          { key: 'changedAt', label: t('Changed'), cell: (row) => <DateTime at={row.changedAt} />, csv: (row) => row.changedAt },
        ]}
        rowActions={(row) => [
          seesStatus && row.batchId !== undefined && { label: t('Open batch'), to: to(printing.screens.status, { id: row.batchId }) },
          row.batchId !== undefined && endedStates.includes(row.state) && { label: t('Print again'), onClick: () => setAgain(row) },
          row.state === 'printed' && { label: t('Deactivate'), onClick: () => void spoil(row) },
        ]}
        empty={{ icon: IconId, title: t('No printed cards'), text: t('Each card of a batch stands here with what became of it.') }}
      />
      {again !== undefined && <PrintAgain card={again} onClose={() => setAgain(undefined)} />}
    </Page>
  )
}
