import type { enrolment } from '#areas/enrolment/contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof enrolment>(
  'enrolment',
  { rules: lazy(() => import('./EnrolmentRules.tsx')) },
  { help: () => import('./help.md?raw') },
)
