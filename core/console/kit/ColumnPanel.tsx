// Which columns a person sees, and in which order. Moving is by buttons, so that it works by keyboard.

import { ActionIcon, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { setPreference, usePreference } from '../preferences.ts'
import { t } from '../text.ts'
import { movedColumn, orderedColumns, toggledColumn, visibleColumns, type Column } from './table-columns.ts'

export function ColumnChoice({ listKey, columns, out }: { listKey: string; columns: readonly Column<never>[]; out: ReadonlySet<string> }) {
  const lists = usePreference('lists')
  const choice = lists[listKey]
  const shown = visibleColumns(columns, choice).map((column) => column.key)
  const keep = (change: { hidden?: string[]; order?: string[] }) =>
    setPreference('lists', { ...lists, [listKey]: { ...choice, ...change } })
  return (
    <Stack gap={4}>
      {orderedColumns(columns, choice).map((column, at, all) =>
        at === 0 ? (
          <Text key={column.key} size="sm" c="dimmed">
            {t('{label} is always shown', { label: column.label })}
          </Text>
        ) : (
          <Group key={column.key} justify="space-between" wrap="nowrap" gap="lg">
            <Checkbox
              label={column.label}
              {...(out.has(column.key) ? { description: t('No room on this screen') } : {})}
              checked={shown.includes(column.key)}
              onChange={() => keep({ hidden: toggledColumn(columns, choice, column.key) })}
            />
            <Group gap={2} wrap="nowrap">
              <Mover
                label={t('Move {label} up', { label: column.label })}
                icon={IconArrowUp}
                possible={at > 1}
                onMove={() => keep({ order: movedColumn(columns, choice, column.key, -1) })}
              />
              <Mover
                label={t('Move {label} down', { label: column.label })}
                icon={IconArrowDown}
                possible={at < all.length - 1}
                onMove={() => keep({ order: movedColumn(columns, choice, column.key, 1) })}
              />
            </Group>
          </Group>
        ),
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() => {
          const { hidden: _hidden, order: _order, ...rest } = choice ?? {}
          setPreference('lists', { ...lists, [listKey]: rest })
        }}
      >
        {t('Reset')}
      </Button>
    </Stack>
  )
}

function Mover({
  label,
  icon: Icon,
  possible,
  onMove,
}: {
  label: string
  icon: typeof IconArrowUp
  possible: boolean
  onMove: () => void
}) {
  return (
    <ActionIcon size="sm" variant="subtle" color="gray" aria-label={label} aria-disabled={!possible} onClick={() => possible && onMove()}>
      <Icon size={14} aria-hidden />
    </ActionIcon>
  )
}
