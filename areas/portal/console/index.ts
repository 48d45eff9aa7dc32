import type { portal } from '#areas/portal/contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof portal>(
  'portal',
  { page: lazy(() => import('./RequestCertificate.tsx')), config: lazy(() => import('./PortalSettings.tsx')) },
  { help: () => import('./help.md?raw') },
)
