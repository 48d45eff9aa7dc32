import { Group, Stack, Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { HomeCard } from '#core/console/kit/HomeCard.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { askedAtHome } from '../at-home.ts'
import { certificates } from '../contract.ts'
import { myRequestPath } from '../paths.ts'
import { plainSubject } from '../plain-subject.ts'
import { RequestState } from './RequestState.tsx'

/** On the home page: the newest of one's own requests. */
export function RecentRequests() {
  const query = useCall(certificates.calls.requests, askedAtHome)
  return (
    <Loaded query={query}>
      {({ rows, total }) =>
        rows.length === 0 ? null : (
          <HomeCard>
            <Stack gap="xs">
              {rows.slice(0, 5).map(({ requestId, subject, templateName, status, onHold, renewed, withdrawn, entity, createdAt }) => (
                <Group key={requestId} justify="space-between" gap="xs">
                  <Group gap={6}>
                    <TextLink underline="hover" to={myRequestPath(entity, requestId)}>
                      {plainSubject(subject)}
                    </TextLink>
                    <Text span size="sm" c="dimmed">
                      {templateName}, <DateTime at={createdAt} dateOnly />
                    </Text>
                  </Group>
                  <RequestState status={status} onHold={onHold} renewed={renewed} withdrawn={withdrawn} />
                </Group>
              ))}
              {total > 5 && <TextLink to={to(certificates.screens.mine)}>{t('All {total}', { total })}</TextLink>}
            </Stack>
          </HomeCard>
        )
      }
    </Loaded>
  )
}
