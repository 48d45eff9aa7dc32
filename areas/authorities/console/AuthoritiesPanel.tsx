// On the home screen: how the authorities stand, those that need somebody first.

import { Group, Stack, Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { authorities } from '../contract.ts'
import type { AuthorityStatus } from '../rules.ts'
import { AuthorityState } from './AuthorityState.tsx'
import { authorityPath, listPath } from './paths.ts'

const most = 6
const urgency: Record<AuthorityStatus, number> = { ExpiredCert: 0, PendingCert: 1, ActiveCert: 2 }

export function AuthoritiesPanel() {
  const query = useCall(authorities.calls.list, { size: 200 })
  return (
    <Loaded query={query}>
      {({ rows, total }) =>
        total === 0 ? null : (
          <HomeCard>
            <Stack gap="xs">
              {rows
                .toSorted((a, b) => urgency[a.status] - urgency[b.status] || (a.notAfter ?? '').localeCompare(b.notAfter ?? ''))
                .slice(0, most)
                .map((row) => (
                  <Group key={row.id} justify="space-between" gap="sm">
                    <TextLink underline="hover" to={authorityPath(row.id)}>
                      {row.friendlyName}
                    </TextLink>
                    <Group gap="sm">
                      <AuthorityState authority={row} />
                      <Text size="sm" c="dimmed" component="span">
                        <DateTime at={row.notAfter} dateOnly />
                      </Text>
                    </Group>
                  </Group>
                ))}
              {total > most && <TextLink to={listPath()}>{t('All {total} authorities', { total })}</TextLink>}
            </Stack>
          </HomeCard>
        )
      }
    </Loaded>
  )
}
