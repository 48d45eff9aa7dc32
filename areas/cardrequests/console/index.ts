import { IconId } from '@tabler/icons-react'
import { lazy as lazyPart } from 'react'
import { chunkFailed } from '#core/console/chunks.ts'
import { lazy, show } from '#core/console/show.ts'
import { selfActions, smartcardRequest } from '#core/console/slots.ts'
import { offer } from '#core/contract/slots.ts'
import type { cardrequests } from '../contract.ts'

export default show<typeof cardrequests>(
  'cardrequests',
  {
    request: lazy(() => import('./RequestCards.tsx')),
    list: lazy(() => import('./RequestList.tsx')),
  },
  {
    offers: [
      offer(
        smartcardRequest,
        lazyPart(() => import('./OwnRequest.tsx').then((file) => ({ default: file.OwnRequest }), chunkFailed)),
      ),
      offer(selfActions, {
        key: 'card',
        says: 'I need a smartcard',
        area: 'selfservice',
        screen: 'requestSmartcard',
        params: { id: 'me' },
        order: 20,
        icon: IconId,
      }),
    ],
    help: () => import('./help.md?raw'),
  },
)
