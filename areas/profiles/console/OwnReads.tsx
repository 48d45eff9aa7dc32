// On the page of the own account: who was shown one's sensitive details.

import { Text } from '@mantine/core'
import { useViewer } from '#core/console/bootstrap.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { profiles } from '../contract.ts'
import { titleOfGroup } from './group-title.ts'

export function OwnReads() {
  const viewer = useViewer()
  const home = viewer.tenantId === viewer.homeTenantId
  const query = useCall(profiles.calls.reads, { userId: viewer.id, size: 10 }, { enabled: home })
  if (!home) return null
  return (
    <Section title={t('Your data')} intro={t('Who was shown your medical details and your home address.')}>
      <Loaded query={query} lines={1}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Text size="sm">{t('Nobody was shown sensitive details')}</Text>
          ) : (
            <SmallTable
              label={t('Who read the data')}
              rows={rows}
              rowId={({ id }) => id}
              columns={[
                { label: t('When'), cell: ({ readAt }) => <DateTime at={readAt} /> },
                { label: t('Who'), cell: ({ reader }) => reader },
                { label: t('What'), cell: ({ group }) => t(titleOfGroup(group)) },
                { label: t('What for'), cell: ({ purpose }) => purpose },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
