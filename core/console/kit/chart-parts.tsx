// What every picture has besides itself: the key to its colours, and the same once more as a table.

import { Group, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { chunkFailed } from '../chunks.ts'
import { t } from '../text.ts'
import type { BarGroup, Tone } from './chart-points.ts'
import classes from './charts.module.css'

const ChartTable = lazy(() => import('./ChartTable.tsx').then((file) => ({ default: file.ChartTable }), chunkFailed))

export const ChartKey = ({ series }: { series: readonly { name: string; tone: Tone; from?: number }[] }) => (
  <Group gap="md" mb={4} aria-hidden>
    {series.map(({ name, tone, from }) => (
      <Text key={name} size="sm" c="dimmed">
        <span className={classes['key']} data-band={from !== undefined || undefined} style={{ background: `var(--chancery-${tone})` }} />
        {name}
      </Text>
    ))}
  </Group>
)

export function ChartDetails(props: { label: string; axis: string; groups: readonly BarGroup[] }) {
  const [opened, setOpened] = useState(false)
  return (
    <details style={{ marginBlockStart: 8 }} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <Text component="summary" size="sm" c="dimmed" style={{ cursor: 'pointer' }}>
        {t('As a table')}
      </Text>
      {opened && (
        <Suspense>
          <ChartTable {...props} />
        </Suspense>
      )}
    </details>
  )
}
