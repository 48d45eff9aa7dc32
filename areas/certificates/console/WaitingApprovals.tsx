import { Group, Stack, Text } from '@mantine/core'
import { relativeTime } from '#core/console/kit/DateTime.tsx'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { waitingAtHome } from '../at-home.ts'
import { certificates } from '../contract.ts'
import { approvalPath } from '../paths.ts'
import { plainSubject } from '../plain-subject.ts'

/** On the home page: the oldest requests that wait for this person. */
export function WaitingApprovals() {
  const query = useCall(certificates.calls.searchApprovals, waitingAtHome)
  return (
    <Loaded query={query}>
      {({ rows, total }) =>
        rows.length === 0 ? null : (
          <HomeCard>
            <Stack gap="xs">
              {rows.slice(0, 5).map(({ requestId, subject, requester, createdAt }) => (
                <Group key={requestId} justify="space-between" gap="xs">
                  <TextLink underline="hover" to={approvalPath(requestId)}>
                    {plainSubject(subject)}
                  </TextLink>
                  <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                    {t('{requester}, {when}', { requester, when: relativeTime(createdAt) })}
                  </Text>
                </Group>
              ))}
              {total > 5 && <TextLink to={to(certificates.screens.approvals)}>{t('All {total}', { total })}</TextLink>}
            </Stack>
          </HomeCard>
        )
      }
    </Loaded>
  )
}
