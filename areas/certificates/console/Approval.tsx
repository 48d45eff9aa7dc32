// One request to decide: who asks, what exactly would be issued, what lint says, what others said, and the decision.

import { Alert, Anchor, Grid, Stack } from '@mantine/core'
import { useParams } from 'react-router'
import { voteRefusals } from '#areas/approvals/rules.ts'
import { PlannedSheet } from '#areas/templates/PlannedSheet.tsx'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { PemText } from '#core/console/kit/PemText.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { certificates } from '../contract.ts'
import { certificatePath } from '../paths.ts'
import { plainSubject } from '../plain-subject.ts'
import { Decision } from './Decision.tsx'
import { Findings } from './Findings.tsx'
import { IssuedElsewhere } from './IssuedElsewhere.tsx'
import { NextRequest } from './NextRequest.tsx'
import { RequestState } from './RequestState.tsx'
import { RequestSteps } from './RequestSteps.tsx'
import { Votes } from './Votes.tsx'

type ApprovalAnswer = OutputOf<typeof certificates.calls.approval>

export function Approval() {
  const { id = '' } = useParams()
  const query = useCall(certificates.calls.approval, { requestId: id })
  if (query.data !== undefined) return <OneApproval answer={query.data} onChanged={() => void query.refetch()} />
  return (
    <Page title={t('Approval')}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  )
}

function OneApproval({
  answer: { request, planned, findings, csr, collected, votes, steps, refusal, round },
  onChanged,
}: {
  answer: ApprovalAnswer
  onChanged: () => void
}) {
  return (
    <Page
      title={plainSubject(request.subject)}
      status={<RequestState status={request.status} onHold={request.onHold} withdrawn={request.withdrawn} />}
      actions={
        request.certificateId !== undefined && <LinkButton to={certificatePath(request.certificateId)}>{t('Show certificate')}</LinkButton>
      }
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="md">
            {refusal !== undefined && <NextRequest after={request.requestId} />}
            {refusal === 'closed' ? undefined : refusal === undefined ? (
              <Decision
                requestId={request.requestId}
                round={round}
                onChanged={onChanged}
                subject={request.subject}
                approvals={request.approvals}
                needed={request.needed}
                collected={collected}
              />
            ) : (
              <Alert variant="light" color="blue">
                {t(voteRefusals[refusal].says)}
              </Alert>
            )}
            {request.error !== '' && (
              <Alert color="red" variant="light" title={t('Comment of the requester')}>
                {t(request.error)}
              </Alert>
            )}
            <RequestSteps steps={steps} />
            <Section title={t('Who asks')}>
              <Facts
                items={[
                  {
                    label: request.askedBy === undefined ? t('Requested by') : t('Requested for'),
                    value:
                      request.requesterName === ''
                        ? request.requester
                        : t('{name} ({username})', { name: request.requesterName, username: request.requester }),
                  },
                  request.askedBy !== undefined && { label: t('Asked by'), value: request.askedBy },
                  request.requesterEmail !== '' && {
                    label: t('E-mail address'),
                    value: <Anchor href={`mailto:${request.requesterEmail}`}>{request.requesterEmail}</Anchor>,
                    copy: request.requesterEmail,
                  },
                  request.holder !== '' && { label: t('For'), value: request.holder },
                  { label: t('Asked'), value: <DateTime at={request.createdAt} /> },
                  { label: t('Template'), value: request.templateName },
                  { label: t('Authority'), value: request.caName },
                  collected && { label: t('Key'), value: t('Made here, at the moment when the requester collects it') },
                  request.comment !== '' && request.askedBy === undefined && { label: t('Comment'), value: request.comment },
                  request.contactEmail !== '' && { label: t('Contact'), value: request.contactEmail },
                ]}
              />
            </Section>
            <Section
              title={t('Votes')}
              intro={t('{approvals} of {needed} approvals', { approvals: request.approvals, needed: request.needed })}
            >
              <Votes votes={votes} />
            </Section>
            {refusal === undefined && request.status === 'under_submission' && csr !== '' && (
              <IssuedElsewhere requestId={request.requestId} others={request.needed - request.approvals - 1} />
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack gap="md">
            <Section title={request.certificateId === undefined ? t('The certificate that would come out') : t('What was approved')}>
              <PlannedSheet planned={planned} undated={request.certificateId !== undefined} />
              <Findings findings={findings} />
            </Section>
            {csr !== '' && (
              <Section title={t('Certificate request (CSR)')}>
                <PemText label={t('Certificate request as PEM')} value={csr} maxRows={12} />
              </Section>
            )}
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}
