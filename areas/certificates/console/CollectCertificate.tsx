// Waits for a certificate and then shows it: `?ca=` the authority, `&id=` the request.

import { Alert, Group, Loader, Text } from '@mantine/core'
import { Navigate, useSearchParams } from 'react-router'
import { useMay } from '#core/console/bootstrap.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { EmptyState, ErrorState } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { certificates } from '../contract.ts'
import { certificatePath, myRequestPath, serialPath } from '../paths.ts'
import { CollectKey } from './CollectKey.tsx'

export function CollectCertificate() {
  const [search] = useSearchParams()
  const input = { tid: search.get('id') ?? '', ca: search.get('ca') ?? '' }
  const sensible = certificates.calls.status.input.safeParse(input).success
  const query = useCall(certificates.calls.status, input, { enabled: sensible, refetchMilliseconds: 2_000 })
  const sees = useMay()(certificates.screens.view.needs, 'View')
  const request = query.data
  if (request !== undefined && !sees && request.certificate_id !== '') return <Navigate replace to={myRequestPath('user', input.tid)} />
  if (request?.status === 'issued_out_of_band') return <Navigate replace to={certificatePath(request.certificate_id)} />
  if (request !== undefined && request.serialNumber !== '') return <Navigate replace to={serialPath(request.ca_id, request.serialNumber)} />
  return (
    <Page narrow title={t('Collect certificate')}>
      {!sensible && (
        <EmptyState
          title={t('This link is not complete')}
          text={t('It must name the authority and the request. Open it again from the mail that you got.')}
          action={<LinkButton to={to(certificates.screens.mine)}>{t('My requests')}</LinkButton>}
        />
      )}
      {sensible && request === undefined && query.error !== null && <ErrorState fault={query.error} retry={() => void query.refetch()} />}
      {request?.status === 'incomplete' && <CollectKey requestId={input.tid} />}
      {(request?.status === 'denied' || request?.status === 'error') && (
        <Alert
          color="red"
          variant="light"
          title={
            request.status === 'denied'
              ? t('The request for {subject} was denied.', { subject: request.subject })
              : t('The certificate for {subject} could not be issued.', { subject: request.subject })
          }
        >
          {t(request.error)}
        </Alert>
      )}
      {sensible && query.error === null && (request === undefined || request.status === 'under_submission') && (
        <Group gap="sm" role="status">
          <Loader size="sm" />
          <Text>
            {request === undefined
              ? t('Asking for the request…')
              : t('{subject} waits to be approved and issued…', { subject: request.subject })}
          </Text>
        </Group>
      )}
    </Page>
  )
}
