import { Text } from '@mantine/core'
import { eventLabels } from '#areas/audit/event-labels.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { t } from '#core/console/text.ts'
import type { CertificateInfo } from '../shapes.ts'

export function CertificateActivity({ info }: { info: CertificateInfo }) {
  const decided = info.activity.some(({ area, name }) => area === 'certificates' && name === 'approved')
  return (
    <Section title={t('Activity')}>
      {info.activity.length === 0 && <Text c="dimmed">{t('Nothing is recorded.')}</Text>}
      {info.activity.length > 0 && (
        <SmallTable
          label={t('Activity')}
          rows={info.activity}
          rowId={({ id }) => String(id)}
          columns={[
            { label: t('When'), cell: ({ at }) => <DateTime at={at} /> },
            {
              label: t('What'),
              plain: true,
              cell: ({ area, name }) =>
                area === 'certificates' && name === 'issued' && !decided ? t('Issued without approval') : eventLabels(area, name),
            },
            { label: t('Who'), aside: true, cell: ({ actor }) => actor },
          ]}
        />
      )}
    </Section>
  )
}
