import { Group, Stack, Text } from '@mantine/core'
import { eventLabels } from '#areas/audit/event-labels.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { authorities } from '../contract.ts'

export function AuthorityActivity({ id }: { id: string }) {
  const query = useCall(authorities.calls.activity, { caId: id })
  return (
    <Section title={t('Activity')} intro={t('The newest entries of the audit log about this authority.')}>
      <Loaded query={query}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Text c="dimmed">{t('Nothing has been recorded about it.')}</Text>
          ) : (
            <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
              {rows.map((row) => (
                <Group component="li" key={row.id} gap="sm" justify="space-between">
                  <Group gap="sm">
                    <Text>{eventLabels(row.area, row.name)}</Text>
                    <Text c="dimmed" size="sm">
                      {row.actor}
                    </Text>
                    {row.outcome !== 'done' && <Status of={row.outcome} />}
                  </Group>
                  <Text c="dimmed" size="sm" component="span">
                    <DateTime at={row.at} />
                  </Text>
                </Group>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  )
}
