import { lazy as lazyPart } from 'react'
import { accountParts } from '#areas/sessions/ways.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { offer } from '#core/contract/slots.ts'
import type { questions } from '../contract.ts'

export default show<typeof questions>(
  'questions',
  {
    mine: lazy(() => import('./MyQuestions.tsx')),
    reset: lazy(() => import('./ResetQuestions.tsx')),
  },
  {
    offers: [
      offer(accountParts, {
        key: 'questions',
        load: lazyPart(() => import('./AccountQuestions.tsx').then((file) => ({ default: file.AccountQuestions }), chunkFailed)),
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
