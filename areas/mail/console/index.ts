import { lazy, show } from '#core/console/show.ts'
import type { mail } from '../contract.ts'

export default show<typeof mail>(
  'mail',
  { outbox: lazy(() => import('./Outbox.tsx')), settings: lazy(() => import('./MailSettings.tsx')) },
  { help: () => import('./help.md?raw') },
)
