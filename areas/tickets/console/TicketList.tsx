import { askForList } from '#core/console/kit/list.ts'
import { Page } from '#core/console/kit/Page.tsx'
import { t } from '#core/console/text.ts'
import { tickets } from '../contract.ts'
import { question } from './question.ts'
import { TicketTable } from './TicketTable.tsx'

const key = 'tickets.all'

TicketList.ask = (address: URLSearchParams) => askForList(tickets.calls.search, question(key), address)

export function TicketList() {
  return (
    <Page title={t('Tickets')}>
      <TicketTable listKey={key} />
    </Page>
  )
}
