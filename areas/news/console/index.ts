import { lazy, show } from '#core/console/show.ts'
import { homePanels } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { news } from '../contract.ts'

export default show<typeof news>(
  'news',
  { edit: lazy(() => import('./EditNews.tsx')) },
  {
    offers: [offer(homePanels, { key: 'news', title: 'News', order: 25, wide: true, load: lazy(() => import('./NewsAtHome.tsx')) })],
    help: () => import('./help.md?raw'),
  },
)
