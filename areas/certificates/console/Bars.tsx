// Bars by week. Each bar is a link with its number and words, so that a reader hears the same as is seen; the table below says it once more.

import { Group, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { chunkFailed } from '#core/console/chunks.ts'
import { t } from '#core/console/text.ts'
import { dayText } from './day-text.ts'
import classes from './pictures.module.css'

export type Bar = { name: string; tone: 'good' | 'warn' | 'bad' | 'wait'; count: number; text: string; path: string }
export type Week = { from: string; bars: readonly Bar[] }

const WeekTable = lazy(() => import('./WeekTable.tsx').then((file) => ({ default: file.WeekTable }), chunkFailed))

export function Bars({ label, weeks }: { label: string; weeks: readonly Week[] }) {
  const most = Math.max(1, ...weeks.flatMap(({ bars }) => bars.map(({ count }) => count)))
  const series = weeks[0]?.bars ?? []
  return (
    <div className={classes['frame']}>
      {series.length > 1 && (
        <Group gap="md" mb={4} aria-hidden>
          {series.map(({ name, tone }) => (
            <Text key={name} size="sm" c="dimmed">
              <span className={classes['key']} style={{ background: `var(--chancery-${tone})` }} />
              {name}
            </Text>
          ))}
        </Group>
      )}
      <ol className={classes['bars']} aria-label={label} data-series={series.length}>
        {weeks.map(({ from, bars }, at) => (
          <li key={from} className={classes['bar']}>
            <div className={classes['pair']}>
              {bars.map((bar) => (
                <OneBar
                  key={bar.name}
                  bar={bar}
                  share={bar.count / most}
                  says={t('{name}, week from {day}: {count}', { name: bar.name, day: dayText(from, 'full'), count: bar.text })}
                />
              ))}
            </div>
            <div className={classes['axis']} aria-hidden>
              {at % 3 === 0 ? dayText(from, 'short') : ''}
            </div>
          </li>
        ))}
      </ol>
      <Details label={label} weeks={weeks} />
    </div>
  )
}

function OneBar({ bar, share, says }: { bar: Bar; share: number; says: string }) {
  const fill = (
    <span
      className={classes['fill']}
      data-tone={bar.tone}
      {...(bar.count === 0 ? { 'data-empty': true } : {})}
      style={{ height: `${Math.round(share * 82)}%` }}
    />
  )
  if (bar.count === 0)
    return (
      <span className={classes['link']} role="img" aria-label={says}>
        {fill}
      </span>
    )
  return (
    <Link to={bar.path} className={classes['link'] ?? ''} aria-label={says} title={says}>
      <span className={classes['value']}>{bar.text}</span>
      {fill}
    </Link>
  )
}

function Details({ label, weeks }: { label: string; weeks: readonly Week[] }) {
  const [opened, setOpened] = useState(false)
  return (
    <details style={{ marginBlockStart: 8 }} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <Text component="summary" size="sm" c="dimmed" style={{ cursor: 'pointer' }}>
        {t('As a table')}
      </Text>
      {opened && (
        <Suspense>
          <WeekTable label={label} weeks={weeks} />
        </Suspense>
      )}
    </details>
  )
}
