// What waits for a decision, as numbers that lead to it: a section for each title that a room gives.

import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '#core/console/bootstrap.ts'
import { TextLink } from '#core/console/kit/links.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { home } from '../contract.ts'
import { waitingKinds } from './words.ts'

export function Waiting() {
  const may = useMay()
  const { data: kinds = [] } = useQuery(waitingKinds())
  const { data } = useCall(home.calls.waiting, {})
  const counts = data?.counts ?? {}
  const waiting = kinds.filter(({ kind, title }) => title !== undefined && (counts[kind] ?? 0) > 0)
  return [...Map.groupBy(waiting, ({ title = '' }) => title)].map(([title, some]) => (
    <Section key={title} title={t(title)}>
      <Stack gap="xs">
        {some.map(({ kind, needs, path, says }) =>
          may(needs, 'View') ? (
            <TextLink key={kind} to={path}>
              {says(counts[kind] ?? 0)}
            </TextLink>
          ) : (
            <Text key={kind}>{says(counts[kind] ?? 0)}</Text>
          ),
        )}
      </Stack>
    </Section>
  ))
}
