// After a request: where it stands and the one next step.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { OutputOf } from '#core/contract/contract.ts'
import { LinkButton } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { useMay } from '#core/console/bootstrap.ts'
import type { certificates } from '../contract.ts'
import { CollectKey } from './CollectKey.tsx'
import { Findings } from './Findings.tsx'
import { certificatePath } from './paths.ts'
import { RequestState } from './RequestState.tsx'

export function RequestOutcome({ placed, again }: { placed: OutputOf<typeof certificates.calls.request>; again: () => void }) {
  const may = useMay()
  const { status, requestId, certificateId, serialNumber, findings, error } = placed
  const titles = { issued: t('Certificate issued'), incomplete: t('Ready to collect'), error: t('The certificate was not issued') }
  return (
    <Page narrow title={status in titles ? titles[status as keyof typeof titles] : t('Request sent')} status={<RequestState status={status} />}>
      <Stack gap="md">
        {status === 'under_submission' && <Text>{t('Approvers have been told. You get a mail when it is decided, and find the request under My requests.')}</Text>}
        {status === 'error' && (
          <Alert color="red" variant="light">
            {error}
          </Alert>
        )}
        {status === 'incomplete' && <CollectKey requestId={requestId} />}
        {serialNumber !== undefined && (
          <Section>
            <Facts items={[{ label: t('Serial number'), value: <Mono value={serialNumber} />, copy: serialNumber }]} />
          </Section>
        )}
        <Findings findings={findings} />
        <Group gap="xs">
          {certificateId !== undefined && may('certView', 'View') && <LinkButton to={certificatePath(certificateId)}>{t('Show certificate')}</LinkButton>}
          <Button variant="default" onClick={again}>
            {t('Request another')}
          </Button>
        </Group>
      </Stack>
    </Page>
  )
}
