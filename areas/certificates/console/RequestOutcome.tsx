// After a request: where it stands and the one next step.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { MailNote } from '#areas/mail/MailNote.tsx'
import type { Entity } from '#areas/templates/rules.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DownloadButton } from '#core/console/kit/DownloadButton.tsx'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { send } from '#core/console/send.ts'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import { certificates } from '../contract.ts'
import { certificatePath, myRequestPath } from '../paths.ts'
import { CollectKey } from './CollectKey.tsx'
import { pemFile } from './decoded-file.ts'
import { Findings } from './Findings.tsx'
import { RequestState } from './RequestState.tsx'
import { RequestSteps } from './RequestSteps.tsx'

function Progress({ requestId }: { requestId: string }) {
  const { data } = useCall(certificates.calls.statusByRequest, { rid: requestId }, { refetchMilliseconds: 15_000 })
  return data === undefined ? null : <RequestSteps steps={data.steps} />
}

export function RequestOutcome({
  placed,
  entity,
  again,
}: {
  placed: OutputOf<typeof certificates.calls.request>
  entity: Entity
  again: () => void
}) {
  const may = useMay()
  const [collected, setCollected] = useState(false)
  const { status, requestId, certificateId, serialNumber, findings, error } = placed
  const titles = { issued: t('Certificate issued'), incomplete: t('Ready to collect'), error: t('The certificate was not issued') }
  return (
    <Page
      narrow
      title={collected ? t('Key and certificate collected') : status in titles ? titles[status as keyof typeof titles] : t('Request sent')}
      status={<RequestState status={collected ? 'issued' : status} />}
    >
      <Stack gap="md">
        {status === 'under_submission' && (
          <>
            <Text>
              {t('It waits for approval.')} <MailNote sent={t('Approvers have been told by mail, and you get one when it is decided.')} />
            </Text>
            <Progress requestId={requestId} />
            <TextLink to={myRequestPath(entity, requestId)}>{t('Follow it under My requests')}</TextLink>
          </>
        )}
        {status === 'error' && (
          <Alert color="red" variant="light">
            {error}
          </Alert>
        )}
        {status === 'incomplete' && <CollectKey requestId={requestId} onCollected={() => setCollected(true)} />}
        {serialNumber !== undefined && (
          <Section>
            <Facts items={[{ label: t('Serial number'), value: <Mono value={serialNumber} />, copy: serialNumber }]} />
          </Section>
        )}
        <Findings findings={findings} />
        <Group gap="xs">
          {status === 'issued' && serialNumber !== undefined && (
            <DownloadButton
              label={t('Download certificate')}
              fileName={`${serialNumber}.pem`}
              from={async () => pemFile((await send(certificates.calls.statusByRequest, { rid: requestId })).certificate)}
            />
          )}
          {certificateId !== undefined && may('certView', 'View') && (
            <LinkButton to={certificatePath(certificateId)}>{t('Show certificate')}</LinkButton>
          )}
          <Button variant="default" onClick={again}>
            {t('Request another')}
          </Button>
        </Group>
      </Stack>
    </Page>
  )
}
