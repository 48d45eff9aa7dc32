// Parts of a page: a titled section, and label with value, each of which can be copied.

import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../text.ts'
import { Copy } from './Copy.tsx'
import classes from './Section.module.css'

export function Section({
  title,
  intro,
  actions,
  children,
}: {
  title?: string
  intro?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Stack gap="sm">
        {title !== undefined && (
          <Group justify="space-between" gap="xs">
            <div className={classes['head']}>
              <Title order={2} size="h4">
                {title}
              </Title>
              {intro !== undefined && (
                <Text size="sm" c="dimmed">
                  {intro}
                </Text>
              )}
            </div>
            {actions}
          </Group>
        )}
        {children}
      </Stack>
    </Paper>
  )
}

export type Fact = {
  label: string
  value: ReactNode
  /** The whole text that the copy button gives. */
  copy?: string | undefined
}

/** Label and value in two columns; an empty value shows a dash. A false item is left out. */
export function Facts({ items }: { items: readonly (Fact | false | undefined)[] }) {
  return (
    <dl className={classes['facts']}>
      {items.map((item) => {
        if (item === false || item === undefined) return undefined
        const empty = item.value === undefined || item.value === null || item.value === ''
        const shown = empty ? <span aria-label={t('none')}>–</span> : item.value
        const copied = item.copy !== undefined && item.copy !== ''
        return (
          <div key={item.label} className={classes['fact']}>
            <dt className={classes['label']}>{item.label}</dt>
            <dd className={classes['value']} data-copied={copied || undefined}>
              {copied ? <div className={classes['copied']}>{shown}</div> : shown}
              {item.copy !== undefined && copied && <Copy value={item.copy} label={item.label} />}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}
