import { Table, Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import type { CertificateInfo } from './ViewCertificate.tsx'

const words: Record<string, string> = {
  'certificates.requested': 'Requested',
  'certificates.edited': 'Request changed',
  'certificates.approved': 'Approved',
  'certificates.denied': 'Denied',
  'certificates.reserved': 'Serial reserved, bytes on record',
  'certificates.issued': 'Issued',
  'certificates.keyMade': 'Key made to be collected',
  'certificates.keyDropped': 'Key dropped before it was collected',
  'certificates.keyCollected': 'Key handed out',
  'certificates.expiryNoticed': 'Told of the coming end',
  'revocation.requested': 'Revocation asked for',
  'revocation.voted': 'Vote on the revocation',
  'revocation.revoked': 'Revoked',
  'revocation.denied': 'Revocation denied',
  'revocation.cancelled': 'Revocation cancelled',
}

export function CertificateActivity({ info }: { info: CertificateInfo }) {
  return (
    <Section title={t('Activity')}>
      {info.activity.length === 0 && <Text c="dimmed">{t('Nothing is recorded.')}</Text>}
      <Table.ScrollContainer minWidth={420}>
        <Table aria-label={t('Activity')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('When')}</Table.Th>
              <Table.Th scope="col">{t('What')}</Table.Th>
              <Table.Th scope="col">{t('Who')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {info.activity.map(({ id, at, area, name, actor }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <DateTime at={at} />
                </Table.Td>
                <Table.Td>{t(words[`${area}.${name}`] ?? `${area}: ${name}`)}</Table.Td>
                <Table.Td>{actor}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  )
}
