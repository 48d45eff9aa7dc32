import { Stack, Text } from '@mantine/core'
import { useMay } from '#core/console/bootstrap.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { home } from '../contract.ts'
import { waitingDeeds } from './waiting-deeds.ts'

/** Revocations, holds and releases that wait for a decision: numbers that lead to them. */
export function WaitingRevocations() {
  const sees = useMay()('certRevokeView', 'View')
  const query = useCall(home.calls.waiting, {}, { refetchMilliseconds: 60_000 })
  const waiting = waitingDeeds(query.data ?? {}).filter(({ count }) => count > 0)
  if (waiting.length === 0) return null
  return (
    <Section title={t('Waiting for a decision')}>
      <Stack gap="xs">
        {waiting.map(({ path, says }) =>
          sees ? (
            <TextLink key={path} to={path}>
              {says}
            </TextLink>
          ) : (
            <Text key={path}>{says}</Text>
          ),
        )}
      </Stack>
    </Section>
  )
}
