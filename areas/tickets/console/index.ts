import { IconLifebuoy } from '@tabler/icons-react'
import { lazy, show } from '#core/console/show.ts'
import { helpLinks, selfActions, workKinds, workWaiting } from '#core/console/slots.ts'
import { to } from '#core/contract/paths.ts'
import { offer } from '#core/contract/slots.ts'
import type { tickets } from '../contract.ts'
import { addPath } from '../paths.ts'

export default show<typeof tickets>(
  'tickets',
  {
    mine: lazy(() => import('./MyTickets.tsx')),
    add: lazy(() => import('./AddTicket.tsx')),
    view: lazy(() => import('./ViewTicket.tsx')),
    held: lazy(() => import('./HeldMail.tsx')),
    desk: lazy(() => import('./DeskSettings.tsx')),
    edit: lazy(() => import('./EditTicket.tsx')),
  },
  {
    lists: { ticket: lazy(() => import('./TicketList.tsx')) },
    help: () => import('./help.md?raw'),
    offers: [
      offer(workWaiting, async () => (await import('./waiting-work.ts')).waitingWork),
      offer(workKinds, async () => (await import('./work-kinds.ts')).workOfThisRoom),
      offer(selfActions, {
        key: 'ticket',
        says: 'Something does not work',
        hint: 'Write to those who help',
        area: 'tickets',
        screen: 'add',
        order: 80,
        icon: IconLifebuoy,
      }),
      offer(selfActions, {
        key: 'tickets',
        says: 'What became of my tickets?',
        area: 'tickets',
        screen: 'mine',
        order: 85,
        icon: IconLifebuoy,
      }),
      offer(helpLinks, {
        label: 'Raise a ticket about this page',
        atRefusal: 'Raise a ticket',
        needs: 'ticketAdd',
        to: (page) => to({ path: addPath }, {}, { page }),
      }),
    ],
  },
)
