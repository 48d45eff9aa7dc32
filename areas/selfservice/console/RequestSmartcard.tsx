// Asks for a smartcard, by the form that the room of the cards offers. Until that room is there, says so.

import { IconId } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useParams } from 'react-router'
import { supportAddressOf, useBootstrap } from '#core/console/bootstrap.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, LoadingState } from '#core/console/kit/states.tsx'
import { useOffers } from '#core/console/rooms.ts'
import { smartcardRequest } from '#core/console/slots.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { selfservice } from '../contract.ts'

export function RequestSmartcard() {
  const { id = '' } = useParams()
  const { tenancy } = useBootstrap()
  const [Form] = useOffers(smartcardRequest)
  return (
    <Page title={t('Request a smartcard')}>
      {Form === undefined ? (
        <EmptyState
          icon={IconId}
          title={t('Smartcards cannot be requested here yet')}
          text={t('Your organisation hands them out in another way. Ask {address}.', { address: supportAddressOf(tenancy) })}
          action={<LinkButton to={to(selfservice.screens.portal)}>{t('Back to self-service')}</LinkButton>}
        />
      ) : (
        <Suspense fallback={<LoadingState />}>
          <Form id={id} />
        </Suspense>
      )}
    </Page>
  )
}
