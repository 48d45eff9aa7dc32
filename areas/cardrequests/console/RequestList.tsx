import { Group } from '@mantine/core'
import { IconId } from '@tabler/icons-react'
import { DataTable } from '#core/console/kit/DataTable.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { askForList, useList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { ServerImage } from '#core/console/kit/ServerImage.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { toastFault } from '#core/console/toast-fault.ts'
import { queryText, to } from '#core/contract/paths.ts'
import { cardrequests } from '../contract.ts'
import { requestStates, stateLabels } from '../rules.ts'

const question = { key: 'cardrequests.all', filters: { state: {} }, sort: 'madeAt', direction: 'desc' } as const

RequestList.ask = (address: URLSearchParams) => askForList(cardrequests.calls.search, question, address)

export function RequestList() {
  const withdraw = useSend(cardrequests.calls.withdraw)
  const list = useList(cardrequests.calls.search, {
    ...question,
    ahead: question,
    filters: { state: { label: t('Status'), options: requestStates.map((value) => ({ value, label: t(stateLabels[value].label) })) } },
  })
  return (
    <Page title={t('Card requests')}>
      <DataTable
        list={list}
        label={t('Card requests')}
        search={t('Name or username')}
        rowId={(row) => row.id}
        rowName={(row) => row.person.name}
        columns={[
          {
            key: 'person',
            label: t('Person'),
            cell: (row) => (
              <Group gap="xs" wrap="nowrap">
                {row.hasPhoto && (
                  <ServerImage
                    from={cardrequests.endpoints.photo.path + queryText({ id: row.id })}
                    alt={t('Photo for the card of {name}', { name: row.person.name })}
                    w={30}
                    h={40}
                    fit="cover"
                    radius="sm"
                  />
                )}
                {row.person.name}
              </Group>
            ),
            csv: (row) => row.person.username,
          },
          {
            key: 'state',
            label: t('Status'),
            aside: true,
            cell: (row) => <Status of={stateLabels[row.state].kind} label={t(stateLabels[row.state].label)} />,
            csv: (row) => row.state,
          },
          { key: 'template', label: t('Template of cards'), cell: (row) => row.cardTemplateName, csv: (row) => row.cardTemplateName },
          { key: 'deliverTo', label: t('Deliver to'), phone: false, cell: (row) => row.deliverTo, csv: (row) => row.deliverTo },
          {
            key: 'dueDate',
            label: t('Needed by'),
            sort: true,
            phone: 'named',
            cell: (row) => row.dueDate !== undefined && <DateTime at={row.dueDate} dateOnly />,
            csv: (row) => row.dueDate ?? '',
          },
          { key: 'by', label: t('Requested by'), phone: false, cell: (row) => row.by, csv: (row) => row.by },
          { key: 'madeAt', label: t('Requested'), sort: true, cell: (row) => <DateTime at={row.madeAt} />, csv: (row) => row.madeAt },
        ]}
        rowActions={(row) => [
          row.state === 'open' && {
            label: t('Withdraw request'),
            onClick: () =>
              void withdraw.run({ ids: [row.id] }).catch((error: unknown) => toastFault(error, t('The requests were not withdrawn'))),
          },
        ]}
        empty={{
          icon: IconId,
          title: t('No card requests'),
          text: t('Who shall get a card is requested here, for one person or for many.'),
          action: <LinkButton to={to(cardrequests.screens.request)}>{t('Request smartcards')}</LinkButton>,
        }}
      />
    </Page>
  )
}
