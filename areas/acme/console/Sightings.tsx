// What was seen of a name, from each place, step by step.

import { List, Stack, Text } from '@mantine/core'
import { DateTime } from '#core/console/kit/DateTime.tsx'
import { t } from '#core/console/text.ts'

export type Sighting = { from: string; at: string; steps: string[]; problem?: { type: string; detail: string } | undefined }

export function Sightings({ sightings }: { sightings: readonly Sighting[] }) {
  return sightings.map(({ from, at, steps, problem }) => (
    <Stack key={from} gap={2}>
      <Text size="sm" c="dimmed">
        {from === 'here' ? t('Seen from this server') : t('Seen from {place}', { place: from })}, <DateTime at={at} />
      </Text>
      <List size="sm">
        {steps
          .filter((step) => step !== problem?.detail)
          .map((step, index) => (
            <List.Item key={`${index} ${step}`} style={{ overflowWrap: 'anywhere' }}>
              {step}
            </List.Item>
          ))}
        {problem !== undefined && (
          <List.Item style={{ overflowWrap: 'anywhere' }}>
            <Text span size="sm" c="red">
              {t(problem.detail)}
            </Text>
          </List.Item>
        )}
      </List>
    </Stack>
  ))
}
