// Who waits for a card: those whose cards are printed next are put together in a batch.

import { Group, Image } from '@mantine/core'
import { IconId } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { queryText, to } from '#core/contract/paths.ts'
import { printing } from '../contract.ts'
import { printLabels } from '../rules.ts'

export function RequestedCards() {
  const navigate = useNavigate()
  const may = useMay()
  const add = useSend(printing.calls.addBatchOfRequests)
  const list = useList(printing.calls.requested, { key: 'printing.requested' })
  const next = may('smartcardBatchFilesPrintStatus', 'View') ? printing.screens.status : undefined
  return (
    <Page title={t('Cards to print')}>
      <DataTable
        list={list}
        label={t('Requested cards')}
        search={t('Name or username')}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        columns={[
          {
            key: 'name',
            label: t('Person'),
            cell: (row) => (
              <Group gap="xs" wrap="nowrap">
                {row.hasPhoto && (
                  <Image
                    src={printing.endpoints.requestedPhoto.path + queryText({ id: row.id })}
                    alt={t('Photo for the card of {name}', { name: row.name })}
                    w={30}
                    h={40}
                    fit="cover"
                    radius="sm"
                  />
                )}
                {row.name}
              </Group>
            ),
            csv: (row) => row.username,
          },
          {
            key: 'printState',
            label: t('Card'),
            aside: true,
            cell: ({ printState }) =>
              printState === undefined ? (
                <Status of="draft" label={t('In no batch')} />
              ) : (
                <Status of={printLabels[printState].kind} label={t(printLabels[printState].label)} />
              ),
            csv: (row) => row.printState ?? '',
          },
          { key: 'template', label: t('Template of cards'), cell: (row) => row.cardTemplateName, csv: (row) => row.cardTemplateName },
          { key: 'deliverTo', label: t('Deliver to'), phone: false, cell: (row) => row.deliverTo, csv: (row) => row.deliverTo },
          {
            key: 'dueDate',
            label: t('Needed by'),
            phone: 'named',
            cell: (row) => row.dueDate !== undefined && <DateTime at={row.dueDate} dateOnly />,
            csv: (row) => row.dueDate ?? '',
          },
          { key: 'madeAt', label: t('Requested'), phone: false, cell: (row) => <DateTime at={row.madeAt} />, csv: (row) => row.madeAt },
        ]}
        bulk={[
          {
            label: t('Make batch'),
            run: async (selection, { input }) => {
              const { text = '' } = input as { text?: string }
              const { batchId } = await add.run({ ...selection, text })
              await navigate(next === undefined ? to(printing.screens.print) : to(next, { id: batchId }))
              return undefined
            },
          },
        ]}
        empty={{
          icon: IconId,
          title: t('Nobody waits for a card'),
          text: t('Open requests for cards stand here, the oldest first.'),
        }}
      />
    </Page>
  )
}
