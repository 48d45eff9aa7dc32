import { lazy, show } from '#core/console/show.ts'
import type { tickets } from '../contract.ts'

export default show<typeof tickets>(
  'tickets',
  {
    mine: lazy(() => import('./MyTickets.tsx')),
    add: lazy(() => import('./AddTicket.tsx')),
    view: lazy(() => import('./ViewTicket.tsx')),
    edit: lazy(() => import('./EditTicket.tsx')),
  },
  {
    lists: { ticket: lazy(() => import('./TicketList.tsx')) },
    help: () => import('./help.md?raw'),
  },
)
