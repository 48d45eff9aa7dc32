import type { decoder } from '#areas/decoder/contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof decoder>(
  'decoder',
  { decodePem: lazy(() => import('./DecodePem.tsx')) },
  { help: () => import('./help.md?raw') },
)
