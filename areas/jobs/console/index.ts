import { lazy, show } from '#core/console/show.ts'
import type { jobs } from '../contract.ts'

export default show<typeof jobs>('jobs', { list: lazy(() => import('./Jobs.tsx')) }, { help: () => import('./help.md?raw') })
