import { lazy, show } from '#core/console/show.ts'
import { workKinds } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { timesheets } from '../contract.ts'

export default show<typeof timesheets>(
  'timesheets',
  {
    overview: lazy(() => import('./Overview.tsx')),
    search: lazy(() => import('./SearchTimesheets.tsx')),
    view: lazy(() => import('./ViewTimesheet.tsx')),
  },
  {
    offers: [offer(workKinds, async () => (await import('./work-kinds.ts')).workOfThisRoom)],
    help: () => import('./help.md?raw'),
  },
)
