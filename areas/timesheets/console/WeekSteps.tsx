// Leads to the week before, the present one and the next.

import { Group, Text } from '@mantine/core'
import { LinkButton } from '#core/console/kit/links.tsx'
import { t } from '#core/console/text.ts'
import { weekAfter } from '../rules.ts'
import { weekWords } from './week-words.ts'

export function WeekSteps({ week, to }: { week: string; to: (week: string | undefined) => string }) {
  return (
    <Group gap="xs" component="nav" aria-label={t('Weeks')}>
      <LinkButton variant="default" size="xs" to={to(weekAfter(week, -1))}>
        {t('Week before')}
      </LinkButton>
      <LinkButton variant="default" size="xs" to={to(undefined)}>
        {t('This week')}
      </LinkButton>
      <LinkButton variant="default" size="xs" to={to(weekAfter(week, 1))}>
        {t('Next week')}
      </LinkButton>
      <Text fw={600}>{weekWords(week)}</Text>
    </Group>
  )
}
