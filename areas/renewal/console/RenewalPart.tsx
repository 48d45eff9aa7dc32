// On a certificate's page: its renewal in one sentence, the next step, and the way to the whole story.

import { Stack, Text } from '@mantine/core'
import type { ActionCertificate } from '#areas/certificates/certificate-actions.ts'
import { WithDates } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { askOnce, useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { renewal } from '../contract.ts'
import { Neighbours } from './Neighbours.tsx'
import { RenewalStep } from './RenewalStep.tsx'

export function RenewalPart({ certificate: { certificateId } }: { certificate: ActionCertificate }) {
  const query = useCall(renewal.calls.info, { certId: certificateId })
  return (
    <Section title={t('Renewal')}>
      <Loaded query={query} lines={2}>
        {(info) => (
          <Stack gap="xs" align="flex-start">
            <Text style={{ overflowWrap: 'anywhere' }}>
              <WithDates text={t(info.verdict.says)} />
            </Text>
            <Neighbours info={info} />
            <RenewalStep info={info} />
            <TextLink to={to(renewal.screens.view, { certId: certificateId })}>
              {info.status === 'expired' && info.renewedBy === undefined
                ? t('Why was this not renewed?')
                : t('Attempts so far and details')}
            </TextLink>
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

RenewalPart.ask = (certificateId: string) => askOnce(renewal.calls.info, { certId: certificateId })
