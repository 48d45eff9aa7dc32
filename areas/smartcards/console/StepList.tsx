// The steps of an operation, as they go.

import { Group, List, Loader, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleX, IconHourglass } from '@tabler/icons-react'
import type * as z from 'zod'
import { t } from '#core/console/text.ts'
import { issueSteps, moreSteps } from '../rules.ts'
import type { StepView } from '../shapes.ts'

type Step = z.output<typeof StepView>

/** Steps are recorded in English; those that are known are said in the language of the person. */
const known: ReadonlySet<string> = new Set([...Object.values(issueSteps), ...Object.values(moreSteps)])

/** On a telephone a long sentence beside it would press it to a dot. */
const whole = { size: 18, stroke: 1.8, style: { flex: 'none' } } as const

const marks = {
  done: <IconCircleCheck {...whole} color="var(--chancery-good)" aria-hidden />,
  failed: <IconCircleX {...whole} color="var(--chancery-bad)" aria-hidden />,
  waiting: <IconHourglass {...whole} color="var(--chancery-wait)" aria-hidden />,
  running: <Loader size={16} aria-hidden />,
}

export function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <List listStyleType="none" spacing={4} aria-live="polite" aria-label={t('Steps')}>
      {steps.map(({ n, name, slot, state, says }) => (
        <List.Item key={n}>
          <Group gap="xs" wrap="nowrap" align="start">
            {marks[state]}
            <Text size="sm">
              {known.has(name) ? t(name) : name}
              {slot === undefined ? '' : ` (${slot})`}
              {says === undefined ? '' : `: ${says}`}
              {state === 'waiting' && `: ${t('waits for approval')}`}
            </Text>
          </Group>
        </List.Item>
      ))}
    </List>
  )
}
