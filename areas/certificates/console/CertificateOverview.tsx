import { Alert, SimpleGrid, Stack, Text } from '@mantine/core'
import { Suspense } from 'react'
import { MailNote } from '#areas/mail/MailNote.tsx'
import { certificateClasses, keyUsages } from '#areas/templates/rules.ts'
import { users } from '#areas/users/contract.ts'
import { useMay } from '#core/console/bootstrap.ts'
import { DateTime, relativeTime } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Mono } from '#core/console/kit/Mono.tsx'
import { Facts, Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { certificateParts, type PartPlace } from '../certificate-parts.ts'
import { reasonWord } from '../rules.ts'
import type { CertificateInfo } from '../shapes.ts'
import { KeptFacts } from './KeptFacts.tsx'

export function CertificateOverview({ info }: { info: CertificateInfo }) {
  const may = useMay()
  const { certificate, associatedUser, associatedDevice, revokedAbove } = info
  return (
    <Stack gap="md">
      {certificate.revokedAt !== undefined && <Revoked certificate={certificate} />}
      {revokedAbove !== undefined && (
        <Alert color="red" variant="light" title={t('The authority above it is revoked')}>
          <Text inherit>
            {t('{name}: {reason}. Whoever verifies this certificate refuses it.', {
              name: revokedAbove.name,
              reason: t(reasonWord(revokedAbove.reason)),
            })}{' '}
            <DateTime at={revokedAbove.at} />
          </Text>
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={t('Certificate')}>
          <Facts
            items={[
              { label: t('Subject'), value: info.dn, copy: info.dn },
              { label: t('Alternative names'), value: certificate.sans.join(', '), copy: certificate.sans.join(', ') },
              { label: t('Issuer'), value: certificate.issuer },
              { label: t('Serial number'), value: <Mono value={certificate.serialNumber} />, copy: certificate.serialNumber },
              { label: t('Valid from'), value: <DateTime at={certificate.notBefore} /> },
              { label: t('Valid until'), value: <DateTime at={certificate.notAfter} /> },
              { label: t('Key'), value: certificate.key },
              {
                label: t('Key usages'),
                value: certificate.keyUsages
                  .map((name) => t(Object.hasOwn(keyUsages, name) ? keyUsages[name as keyof typeof keyUsages] : name))
                  .join(', '),
              },
              { label: t('Extended usages'), value: certificate.extendedUsages.map((name) => t(name)).join(', ') },
            ]}
          />
        </Section>
        <Stack gap="md">
          <Section title={t('What happens next')}>
            <NextStep info={info} />
          </Section>
          <Parts certificate={certificate} />
          <KeptFacts certificate={certificate} />
          <Section title={t('Who uses it')}>
            <Facts
              items={[
                associatedUser !== undefined && {
                  label: t('Person'),
                  value: may('userView') ? (
                    <TextLink to={to(users.screens.view, { id: associatedUser.id })}>{associatedUser.name}</TextLink>
                  ) : (
                    associatedUser.name
                  ),
                },
                associatedDevice !== undefined && { label: t('Device'), value: associatedDevice.hostname },
                associatedDevice !== undefined &&
                  associatedDevice.serial_number !== '' && {
                    label: t('Serial number of the device'),
                    value: associatedDevice.serial_number,
                  },
                { label: t('Requested by'), value: certificate.requester },
                certificate.contactEmail !== '' && { label: t('Contact'), value: certificate.contactEmail },
                certificate.friendlyName !== '' && { label: t('Display name'), value: certificate.friendlyName },
                { label: t('Template'), value: certificate.cert_template },
                { label: t('Class'), value: t(certificateClasses[certificate.class].label) },
              ]}
            />
          </Section>
        </Stack>
      </SimpleGrid>
    </Stack>
  )
}

/** For good or for now, and a hold that its end has overtaken. */
function Revoked({ certificate }: { certificate: CertificateInfo['certificate'] }) {
  const { onHold, status, revokedAt, revocationReason } = certificate
  const over = status === 'expired'
  const says = !onHold
    ? t('Reason: {reason}.', { reason: t(reasonWord(revocationReason ?? 'unspecified')) })
    : over
      ? t('It was on hold when it expired. On hold since')
      : t('Whoever verifies it refuses it until it is released. On hold since')
  return (
    <Alert
      color={!onHold ? 'red' : over ? 'gray' : 'yellow'}
      variant="light"
      title={!onHold ? t('Revoked') : over ? t('Expired on hold') : t('On hold')}
    >
      <Text inherit>
        {says} <DateTime at={revokedAt} />
      </Text>
      <Parts place={onHold ? 'onHold' : 'revoked'} certificate={certificate} />
    </Alert>
  )
}

/** What the rooms above know of it. */
function Parts({
  place,
  certificate: { certificateId, caId, serialNumber, status, revocationReason },
}: {
  place?: PartPlace
  certificate: CertificateInfo['certificate']
}) {
  return (
    <Suspense>
      {certificateParts(place).map(({ key, load: Part }) => (
        <Part key={key} certificate={{ certificateId, caId, serialNumber, status, revocationReason }} />
      ))}
    </Suspense>
  )
}

function NextStep({ info: { certificate } }: { info: CertificateInfo }) {
  const when = relativeTime(certificate.notAfter)
  switch (certificate.status) {
    case 'onHold':
      return <Text>{t('It is released from hold, or revoked for good.')}</Text>
    case 'revoked':
      return <Text>{t('Nothing: it is revoked. Request another certificate if one is needed.')}</Text>
    case 'expired':
      return <Text>{t('It expired {when}. Request another certificate if one is needed.', { when })}</Text>
    case 'pending':
      return <Text>{t('It is not valid yet.')}</Text>
    default:
      return (
        <Stack gap={4}>
          <Text>{t('It expires {when}.', { when })}</Text>
          <Text c="dimmed">
            <MailNote sent={t('Holder and requester are told by mail 30, 7 and 1 days before.')} />
          </Text>
        </Stack>
      )
  }
}
