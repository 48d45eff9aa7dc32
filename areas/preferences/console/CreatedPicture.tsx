// How many were made in each of the last weeks, as bars whose numbers are also read, and the newest by name.

import { Group, Stack, Text } from '@mantine/core'
import { DateTime, mediumDate } from '#core/console/kit/DateTime.tsx'
import { TextLink } from '#core/console/kit/links.tsx'
import { t } from '#core/console/text.ts'
import type { OutputOf } from '#core/contract/contract.ts'
import type { preferences } from '../contract.ts'
import classes from './preferences.module.css'

type Props = {
  made: OutputOf<typeof preferences.calls.usersCreated>
  label: string
  says: string
  all: { label: string; path: string }
  pathOf: (id: string) => string
}

export function CreatedPicture({ made: { weeks, newest }, label, says, all, pathOf }: Props) {
  const most = Math.max(1, ...weeks.map(({ count }) => count))
  return (
    <Stack gap="sm">
      <Text size="sm">{says}</Text>
      {weeks.some(({ count }) => count > 0) && (
        <ul className={classes['weeks']} aria-label={label}>
          {weeks.map(({ from, count }) => (
            <li key={from} title={`${mediumDate(new Date(from), true)}: ${count}`}>
              <span className={classes['count']} data-none={count === 0 || undefined}>
                {count}
              </span>
              <span className={classes['bar']} style={{ height: `${Math.round((count / most) * 48) + 2}px` }} aria-hidden />
              <span className={classes['hidden']}>{t('in the week from {date}', { date: mediumDate(new Date(from), true) })}</span>
            </li>
          ))}
        </ul>
      )}
      <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: 'none' }} aria-label={t('Newest')}>
        {newest.map(({ id, name, at }) => (
          <Group component="li" key={id} justify="space-between" gap="xs" wrap="nowrap">
            <TextLink underline="hover" to={pathOf(id)}>
              {name}
            </TextLink>
            <Text size="sm" c="dimmed" component="span">
              <DateTime at={at} dateOnly />
            </Text>
          </Group>
        ))}
      </Stack>
      <TextLink to={all.path}>{all.label}</TextLink>
    </Stack>
  )
}
