import { askForList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { tickets } from '../contract.ts'
import { allKey, question } from './question.ts'
import { TicketTable } from './TicketTable.tsx'
import { TicketTabs } from './TicketTabs.tsx'

TicketList.ask = (address: URLSearchParams) => askForList(tickets.calls.search, question(allKey), address)

export function TicketList() {
  return (
    <Page title={t('Tickets')} views={<TicketTabs />}>
      <TicketTable listKey={allKey} />
    </Page>
  )
}
