import { lazy, show } from '#core/console/show.ts'
import type { imports } from '../contract.ts'

export default show<typeof imports>(
  'imports',
  { upload: lazy(() => import('./UploadCertificates.tsx')) },
  { help: () => import('./help.md?raw') },
)
