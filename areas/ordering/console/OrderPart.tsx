// On the page of a certificate that was ordered by ACME: from whom, and when it is renewed or why not.

import { Stack, Text } from '@mantine/core'
import type { ActionCertificate } from '#areas/certificates/certificate-actions.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { WithDates } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { askOnce, useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { ordering } from '../contract.ts'

export function OrderPart({ certificate: { certificateId } }: { certificate: ActionCertificate }) {
  const may = useMay()
  const { data } = useCall(ordering.calls.ofCertificate, { certId: certificateId })
  if (data?.order === undefined) return null
  const { id, authorityName, ownerName, renewal } = data.order
  return (
    <Section title={t('Ordered by ACME')}>
      <Stack gap="xs" align="flex-start">
        <Text>{t('From {authority}, for {owner}.', { authority: authorityName, owner: ownerName })}</Text>
        <Text style={{ overflowWrap: 'anywhere' }}>
          <WithDates text={renewal} />
        </Text>
        {may('uploadLECert') && <TextLink to={to(ordering.screens.order, { id })}>{t('Show the order')}</TextLink>}
      </Stack>
    </Section>
  )
}

OrderPart.ask = (certificateId: string) => askOnce(ordering.calls.ofCertificate, { certId: certificateId })
