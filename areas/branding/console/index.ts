import { lazy, show } from '#core/console/show.ts'
import type { branding } from '../contract.ts'

export default show<typeof branding>(
  'branding',
  { config: lazy(() => import('./DomainBranding.tsx')) },
  { help: () => import('./help.md?raw') },
)
