// On a certificate's page: the others of the same key. Whoever has the key of one has the key of all.

import { Alert, Button, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconBan } from '@tabler/icons-react'
import { useState } from 'react'
import { prepareRun } from '#areas/bulk/bulk-actions.tsx'
import type { ActionCertificate } from '#areas/certificates/certificate-actions.ts'
import { certificates } from '#areas/certificates/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { asCallFault, type CallFault } from '#core/console/call-fault.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { FaultAlert } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { askOnce, useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { revocation } from '../contract.ts'
import { revokeAction } from '../early-paths.ts'

export function Siblings({ certificate: { certificateId } }: { certificate: ActionCertificate }) {
  const may = useMay()
  const { data } = useCall(revocation.calls.siblings, { certId: certificateId })
  const [fault, setFault] = useState<CallFault>()
  if (data === undefined || (data.total === 0 && (data.elsewhere ?? 0) === 0 && !data.compromised)) return null
  const { siblings, total, elsewhere = 0, compromised } = data
  const valid = siblings.filter(({ status, caId }) => caId !== undefined && status !== 'revoked' && status !== 'expired')
  const revokeAll = () =>
    void prepareRun(revokeAction, { selectAll: false, inclusionList: valid.map((one) => one.certificateId) }, {}).catch((error: unknown) =>
      setFault(asCallFault(error)),
    )
  return (
    <Section title={t('Same key')}>
      <Stack gap="sm" align="flex-start">
        {compromised && (
          <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} title={t('This key is blocked')} w="100%">
            <Text inherit>
              {total === 0
                ? t('No other certificate of it is known here, and none will be issued.')
                : t('No certificate of it will be issued again. Those below have the same key, and are no better.')}
            </Text>
          </Alert>
        )}
        {total > 0 && (
          <List spacing={4}>
            {siblings.slice(0, 10).map((one) => (
              <List.Item key={one.certificateId}>
                <TextLink to={to(certificates.screens.view, { certId: one.certificateId })}>
                  {one.name === '' ? one.serialNumber : one.name}
                </TextLink>{' '}
                <Status of={one.status} />
              </List.Item>
            ))}
          </List>
        )}
        {total > 10 && <Text size="sm">{t('And {count, plural, one {# more} other {# more}}.', { count: total - 10 })}</Text>}
        {elsewhere > 0 && (
          <Text size="sm">
            {t(
              '{count, plural, one {# valid certificate} other {# valid certificates}} of this key in tenancies that you manage. Their own people see which.',
              { count: elsewhere },
            )}
          </Text>
        )}
        <FaultAlert fault={fault} />
        {valid.length > 0 && may(revocation.screens.revocations.needs) && (
          <Button variant="light" color="red" leftSection={<IconBan size={16} stroke={1.8} aria-hidden />} onClick={revokeAll}>
            {t('Revoke {count, plural, one {# certificate} other {# certificates}} of this key', { count: valid.length })}
          </Button>
        )}
      </Stack>
    </Section>
  )
}

Siblings.ask = (certificateId: string) => askOnce(revocation.calls.siblings, { certId: certificateId })
