import { useMay } from '#core/console/bootstrap.ts'
import { askForList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { tickets } from '../contract.ts'
import { question } from './question.ts'
import { TicketMetrics } from './TicketMetrics.tsx'
import { TicketTable } from './TicketTable.tsx'

const key = 'tickets.mine'

MyTickets.ask = (address: URLSearchParams) => askForList(tickets.calls.search, question(key), address)

export function MyTickets() {
  const handles = useMay()('ticketEdit')
  return (
    <Page title={t('My tickets')}>
      <TicketMetrics />
      <TicketTable
        listKey={key}
        views={[
          { key: 'all', label: handles ? t('All') : t('All of mine'), query: {} },
          { key: 'created', label: t('Created by me'), query: { whose: 'createdByMe' } },
          { key: 'assigned', label: t('Assigned to me'), query: { whose: 'assignedToMe' } },
        ]}
      />
    </Page>
  )
}
