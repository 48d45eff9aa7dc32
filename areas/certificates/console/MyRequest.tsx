// One of one's own requests: where it stands, and what can be done about it.

import { Alert, Stack, Text } from '@mantine/core'
import { IconArrowBackUp, IconCertificate2, IconRepeat } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { MailNote } from '#areas/mail/MailNote.tsx'
import { useMay } from '#core/console/bootstrap.ts'
import { confirm } from '#core/console/kit/confirm.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { DetailPage } from '#core/console/kit/DetailPage.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { FaultAlert, Loaded } from '#core/console/kit/states.tsx'
import { useCall, useSend } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { to } from '#core/contract/paths.ts'
import { isHold } from '#standards/crl/reasons.ts'
import { certificateActions, type ActionCertificate } from '../certificate-actions.ts'
import { certificateParts } from '../certificate-parts.ts'
import { certificates } from '../contract.ts'
import { certificatePath } from '../paths.ts'
import { plainSubject } from '../plain-subject.ts'
import { CollectKey } from './CollectKey.tsx'
import { RequestFiles } from './RequestFiles.tsx'
import { RequestState } from './RequestState.tsx'
import { RequestSteps } from './RequestSteps.tsx'
import { Votes } from './Votes.tsx'

type Request = OutputOf<typeof certificates.calls.statusByRequest>

export function MyRequest({ requestId }: { requestId: string }) {
  const may = useMay()
  const query = useCall(certificates.calls.statusByRequest, { rid: requestId }, { refetchMilliseconds: 15_000 })
  const withdraw = useSend(certificates.calls.withdraw, { invalidates: ['approvals'] })
  // Once collected the request is issued; the word that the file is saved stays until the page is left.
  const [collecting, setCollecting] = useState(false)
  const [opened] = useState(() => Date.now())
  if (query.data?.status === 'incomplete' && !collecting) setCollecting(true)
  if (query.data === undefined)
    return (
      <Page title={t('Request')}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    )
  const request = query.data
  const own = may('certView', 'View') ? undefined : ownCertificate(request, opened)
  const askAndWithdraw = async (): Promise<void> => {
    const sure = await confirm({
      title: t('Withdraw the request for {subject}?', { subject: request.subject }),
      consequence: t('Nobody can approve it any more. You can ask again.'),
      action: t('Withdraw request'),
      keep: t('Keep request'),
    })
    if (sure) await withdraw.run({ requestId }).catch(() => {})
  }
  return (
    <DetailPage
      title={plainSubject(request.subject)}
      status={<RequestState status={request.status} onHold={isHold(request.revocation_reason)} withdrawn={request.withdrawn} />}
      buttons={
        own !== undefined &&
        certificateActions().map(({ key, load: Action }) => (
          <Suspense key={key}>
            <Action certificate={own} />
          </Suspense>
        ))
      }
      actions={[
        request.certificate_id !== '' &&
          may('certView', 'View') && {
            label: t('Show certificate'),
            icon: IconCertificate2,
            primary: true,
            to: certificatePath(request.certificate_id),
          },
        (request.status === 'denied' || request.status === 'error') && {
          label: t('Ask again'),
          icon: IconRepeat,
          primary: true,
          to: askAgainPath(request, may),
        },
        request.withdrawable && { label: t('Withdraw request'), icon: IconArrowBackUp, danger: true, onClick: () => void askAndWithdraw() },
      ]}
    >
      <Stack gap="md">
        <FaultAlert fault={withdraw.fault} />
        <RequestSteps steps={request.steps} />
        {request.status === 'under_submission' && (
          <Alert color="blue" variant="light">
            {t('Others must agree first.')} <MailNote sent={t('You get a mail when it is decided.')} />
          </Alert>
        )}
        {request.status === 'denied' && <Denied votes={request.votes} reason={t(request.error)} />}
        {request.status === 'error' && (
          <Alert color="red" variant="light" title={t('The certificate was not issued')}>
            {t(request.error)}
          </Alert>
        )}
        {collecting && <CollectKey requestId={requestId} />}
        <Section title={t('Request')}>
          <Facts
            items={[
              { label: t('Template'), value: request.template },
              { label: t('Authority'), value: request.caName },
              { label: t('Asked'), value: <DateTime at={request.created_at} /> },
              { label: t('Last change'), value: <DateTime at={request.updated_at} /> },
              request.serialNumber !== '' && {
                label: t('Serial number'),
                value: <Mono value={request.serialNumber} />,
                copy: request.serialNumber,
              },
              request.valid_to !== '' && { label: t('Valid until'), value: <DateTime at={request.valid_to} /> },
            ]}
          />
          {request.certificate !== '' && <RequestFiles request={request} />}
        </Section>
        {own !== undefined &&
          certificateParts()
            .filter(({ forHolders }) => forHolders)
            .map(({ key, load: Part }) => (
              <Suspense key={key}>
                <Part certificate={own} />
              </Suspense>
            ))}
        {request.votes.length > 0 && (
          <Section title={t('Votes')}>
            <Votes votes={request.votes} />
          </Section>
        )}
      </Stack>
    </DetailPage>
  )
}

/** The form that it came by, with what was asked. */
function askAgainPath({ function: entity, request_id: again }: Request, may: ReturnType<typeof useMay>): string {
  const { uploadForUser, uploadForDevice, add } = certificates.screens
  const forOthers = entity === 'device' ? uploadForDevice : uploadForUser
  return may(forOthers.needs, 'View') ? to(forOthers, {}, { again }) : to(add, { entity }, { again })
}

/** The certificate of a holder who sees no certificates: here is offered and told what its own page would offer and tell. */
function ownCertificate(
  { certificate_id: certificateId, ca_id: caId, serialNumber, status, revocation_reason: revocationReason, valid_to: end }: Request,
  now: number,
): ActionCertificate | undefined {
  if (certificateId === '') return undefined
  const ended = Date.parse(end) < now
  const stands =
    status === 'revoked' && !isHold(revocationReason) ? 'revoked' : ended ? 'expired' : status === 'revoked' ? 'onHold' : 'active'
  return { certificateId, caId: status === 'issued_out_of_band' ? undefined : caId, serialNumber, status: stands, revocationReason }
}

/** Who said no, and why; or that one took it back oneself. */
function Denied({ votes, reason }: { votes: Request['votes']; reason: string }) {
  const denial = votes.find(({ verdict, void: isVoid }) => verdict === 'deny' && !isVoid)
  if (denial === undefined && reason !== '')
    return (
      <Alert color="red" variant="light" title={t('The request was ended')}>
        {t(reason)}
      </Alert>
    )
  if (denial === undefined) return <Text>{t('The request was withdrawn. You can ask again.')}</Text>
  return (
    <Alert color="red" variant="light" title={t('Denied by {voter}', { voter: denial.voter })}>
      {denial.comment === '' ? t('No reason was given. Ask again with what was missing.') : denial.comment}
    </Alert>
  )
}
