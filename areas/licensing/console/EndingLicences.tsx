// Above a list of what others license: what ends soon, and what has ended, so that somebody asks for more in time.

import { Alert, List } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { t } from '#core/console/text.ts'
import { licenceDays, type LicenceView } from './LicenceStatus.tsx'

const mostNamed = 4

type Row = { id: string; name: string; owner: string; licence?: LicenceView | undefined }

export function EndingLicences({ rows }: { rows: readonly Row[] }) {
  const ending = rows.filter(({ licence }) => licence?.state === 'endsSoon' || licence?.state === 'ended')
  if (ending.length === 0) return null
  return (
    <Alert
      variant="light"
      color="yellow"
      icon={<IconAlertTriangle size={18} stroke={1.8} aria-hidden />}
      title={t('{count, plural, one {A licence ends} other {# licences end}}', { count: ending.length })}
    >
      {t('After its last day nothing more is issued, renewals among it. Ask the owner for a later day.')}
      <List size="sm" mt="xs">
        {ending.slice(0, mostNamed).map(({ id, name, owner, licence }) => (
          <List.Item key={id}>
            {t('{name}, of {owner}: {days}', { name, owner, days: licence === undefined ? '' : licenceDays(licence) })}
          </List.Item>
        ))}
        {ending.length > mostNamed && (
          <List.Item>{t('{count, plural, one {and # more} other {and # more}}', { count: ending.length - mostNamed })}</List.Item>
        )}
      </List>
    </Alert>
  )
}
