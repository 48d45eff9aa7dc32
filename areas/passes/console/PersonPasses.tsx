// A tab of a person's page: the passes that the person has now.

import { Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { passes } from '../contract.ts'
import { PassStatus } from './PassStatus.tsx'

export function PersonPasses({ userId }: { userId: string }) {
  const query = useCall(passes.calls.ofPerson, { userId })
  return (
    <Section title={t('Passes')}>
      <Loaded query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <Text c="dimmed">{t('This person has no pass now.')}</Text>
          ) : (
            <SmallTable
              label={t('Passes')}
              rows={rows}
              rowId={({ id }) => id}
              columns={[
                { label: t('Number'), cell: ({ passNumber }) => passNumber },
                { label: t('Status'), aside: true, cell: ({ status }) => <PassStatus of={status} /> },
                { label: t('Valid from'), cell: ({ validDate }) => validDate !== undefined && <DateTime at={validDate} /> },
                { label: t('Valid until'), cell: ({ expirationDate }) => expirationDate !== undefined && <DateTime at={expirationDate} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
