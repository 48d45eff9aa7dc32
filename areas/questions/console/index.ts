import { IconMessageQuestion } from '@tabler/icons-react'
import { lazy as lazyPart } from 'react'
import { accountParts } from '#areas/sessions/ways.ts'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { selfActions, selfTasks } from '#core/console/slots.ts'
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
      offer(selfTasks, {
        key: 'questions',
        needs: 'selfServicePortal',
        order: 20,
        load: lazyPart(() => import('./QuestionsTask.tsx').then((file) => ({ default: file.QuestionsTask }), chunkFailed)),
      }),
      offer(selfActions, {
        key: 'questions',
        says: 'I want to change my secret questions',
        area: 'questions',
        screen: 'mine',
        order: 40,
        icon: IconMessageQuestion,
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
