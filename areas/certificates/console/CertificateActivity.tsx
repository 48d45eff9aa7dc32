import { Table, Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { eventWords } from '#areas/audit/event-words.ts'
import type { CertificateInfo } from './ViewCertificate.tsx'

export function CertificateActivity({ info }: { info: CertificateInfo }) {
  const decided = info.activity.some(({ area, name }) => area === 'certificates' && name === 'approved')
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
                <Table.Td>{area === 'certificates' && name === 'issued' && !decided ? t('Issued without approval') : eventWords(area, name)}</Table.Td>
                <Table.Td>{actor}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  )
}
