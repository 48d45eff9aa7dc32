// Asks for a smartcard, by the form that the room of card requests offers.

import { Suspense } from 'react'
import { useParams } from 'react-router'
import { Page } from '#core/console/kit/Page.tsx'
import { LoadingState } from '#core/console/kit/states.tsx'
import { useOffers } from '#core/console/rooms.ts'
import { smartcardRequest } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'

export function RequestSmartcard() {
  const { id = '' } = useParams()
  const [Form] = useOffers(smartcardRequest)
  return (
    <Page title={t('Request a smartcard')}>
      <Suspense fallback={<LoadingState />}>{Form !== undefined && <Form id={id} />}</Suspense>
    </Page>
  )
}
