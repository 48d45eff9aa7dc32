// What happened when somebody signed in, or tried to: an icon, words, an address and a time.

import { Group, Stack, Text } from '@mantine/core'
import { eventLabels } from '#areas/audit/event-labels.ts'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'

type HistoryRow = { id: string; at: string; name: string; outcome: 'done' | 'refused' | 'failed'; address: string }

export function SignInHistory({ rows }: { rows: readonly HistoryRow[] }) {
  if (rows.length === 0) return <Text c="dimmed">{t('Nothing has been recorded yet.')}</Text>
  return (
    <Stack component="ol" gap={6} m={0} p={0} style={{ listStyle: 'none' }}>
      {rows.map(({ id, at, name, outcome, address }) => (
        <Group
          key={id}
          component="li"
          justify="space-between"
          gap="xs"
          wrap="wrap"
          style={{ borderBottom: '1px solid var(--chancery-line)', paddingBlockEnd: 6 }}
        >
          {/* The event that an attempt failed is itself one that was done. */}
          <Status of={name === 'signInFailed' ? 'failed' : outcome} label={eventLabels('sessions', name)} />
          <Text size="sm" c="dimmed">
            <DateTime at={at} />
            {address !== '' && ` · ${address}`}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}
