// What happened when somebody signed in, or tried to: an icon, words, an address and a time.

import { Group, Stack, Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { Status } from '#core/console/kit/Status.tsx'
import { t } from '#core/console/text.ts'

type HistoryRow = { id: string; at: string; name: string; outcome: 'done' | 'refused' | 'failed'; address: string }

const words: Record<string, { says: string; status: string }> = {
  signedIn: { says: 'Signed in', status: 'done' },
  signInFailed: { says: 'Sign-in failed', status: 'failed' },
  signedOut: { says: 'Signed out', status: 'done' },
  switched: { says: 'Switched tenancy', status: 'done' },
  activated: { says: 'Account activated', status: 'done' },
  passwordChanged: { says: 'Password changed', status: 'done' },
  codeEnrolled: { says: 'Sign-in code set up', status: 'done' },
  codeReset: { says: 'Sign-in code reset', status: 'done' },
  tokenAdded: { says: 'API token made', status: 'done' },
  tokenRemoved: { says: 'API token revoked', status: 'done' },
}

export function SignInHistory({ rows }: { rows: readonly HistoryRow[] }) {
  if (rows.length === 0) return <Text c="dimmed">{t('Nothing has been recorded yet.')}</Text>
  return (
    <Stack component="ol" gap={6} m={0} p={0} style={{ listStyle: 'none' }}>
      {rows.map(({ id, at, name, outcome, address }) => {
        const word = words[name]
        return (
          <Group key={id} component="li" justify="space-between" gap="xs" wrap="wrap" style={{ borderBottom: '1px solid var(--chancery-line)', paddingBlockEnd: 6 }}>
            <Status of={outcome === 'done' ? (word?.status ?? 'done') : outcome} label={word === undefined ? name : t(word.says)} />
            <Text size="sm" c="dimmed">
              <DateTime at={at} />
              {address !== '' && ` · ${address}`}
            </Text>
          </Group>
        )
      })}
    </Stack>
  )
}
