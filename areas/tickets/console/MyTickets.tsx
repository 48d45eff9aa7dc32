import { askForList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { tickets } from '../contract.ts'
import { mineKey, question } from './question.ts'
import { TicketMetrics } from './TicketMetrics.tsx'
import { TicketTable } from './TicketTable.tsx'
import { TicketTabs } from './TicketTabs.tsx'

MyTickets.ask = (address: URLSearchParams) => askForList(tickets.calls.search, question(mineKey), address)

export function MyTickets() {
  return (
    <Page title={t('My tickets')} views={<TicketTabs />}>
      <TicketMetrics />
      <TicketTable listKey={mineKey} />
    </Page>
  )
}
