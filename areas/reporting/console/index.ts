import { lazy, show } from '#core/console/show.ts'
import type { reporting } from '../contract.ts'

export default show<typeof reporting>(
  'reporting',
  { certificates: lazy(() => import('./CertificateReport.tsx')) },
  { help: () => import('./help.md?raw') },
)
