// The views of tickets: one's own, those given to oneself, and for who handles them all.

import { useMay } from '#core/console/bootstrap.ts'
import { ViewTabs } from '#core/console/kit/ViewTabs.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { searchScreen } from '#core/contract/search.ts'
import { tickets } from '../contract.ts'
import { allKey, mineKey } from './question.ts'

export function TicketTabs() {
  const may = useMay()
  const mine = to(tickets.screens.mine)
  return (
    <ViewTabs
      listKeys={[mineKey, allKey]}
      label={t('Tickets')}
      views={[
        { key: 'mine', label: t('My tickets'), to: mine },
        { key: 'created', label: t('Created by me'), to: mine, query: { whose: 'createdByMe' } },
        { key: 'assigned', label: t('Assigned to me'), to: mine, query: { whose: 'assignedToMe' } },
        ...(may('ticketEdit', 'View') ? [{ key: 'all', label: t('All tickets'), to: to(searchScreen, { searchType: 'ticket' }) }] : []),
      ]}
    />
  )
}
