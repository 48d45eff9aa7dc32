// What is selected, and what can be done with it. "Select this page" and "Select all 61,204 matching" are different things.

import { Anchor, Button, Group, Loader, Paper, Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import { useState } from 'react'
import type { Needs } from '#core/contract/permissions.ts'
import { asCallFault, type CallFault } from '../call-fault.ts'
import { formatNumber, t } from '../text.ts'
import { everythingSelected, nothingSelected, select, selectedCount, wireSelection, type WireSelection } from './list-selection.ts'
import type { List } from './list.ts'
import { FaultAlert } from './states.tsx'

/** "118 revoked, 2 failed": what happened, and the ones that failed by name. */
export type BulkResult = { says: string; failed?: readonly { name: string; says: string }[] }

export type BulkAction = {
  label: string
  icon?: Icon
  danger?: boolean
  needs?: Needs
  /** Asks first (`confirm`), then acts. `input` is the list's query, for "all matching"; `seen` the versions that were ticked. A result is shown; nothing returned means that it was called off. */
  run: (
    selection: WireSelection,
    facts: { count: number; input: Record<string, unknown>; seen: Readonly<Record<string, number>> },
  ) => Promise<BulkResult | undefined>
}

export function BulkBar<Row>({ list, actions, pageIds }: { list: List<Row>; actions: readonly BulkAction[]; pageIds: readonly string[] }) {
  const [running, setRunning] = useState('')
  const [result, setResult] = useState<BulkResult>()
  const [fault, setFault] = useState<CallFault>()
  const [open, setOpen] = useState(false)
  const total = list.answer?.total ?? 0
  const count = selectedCount(list.selection, total)

  const run = async (action: BulkAction): Promise<void> => {
    if (running !== '') return
    setRunning(action.label)
    setResult(undefined)
    setFault(undefined)
    setOpen(false)
    try {
      const done = await action.run(wireSelection(list.selection), { count, input: list.input, seen: list.seen })
      if (done !== undefined) {
        setResult(done)
        list.select(nothingSelected)
      }
    } catch (error) {
      setFault(asCallFault(error))
    } finally {
      setRunning('')
    }
  }

  return (
    <>
      <div role="status">
        {result !== undefined && (
          <Paper withBorder p="xs">
            <Group gap="xs">
              <Text>{result.says}</Text>
              {(result.failed?.length ?? 0) > 0 && (
                <Anchor component="button" type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
                  {open ? t('Hide failed') : t('Show failed')}
                </Anchor>
              )}
              <Anchor component="button" type="button" onClick={() => setResult(undefined)}>
                {t('Close')}
              </Anchor>
            </Group>
            {open && (
              <ul style={{ margin: '6px 0 0', paddingInlineStart: 18 }}>
                {result.failed?.map(({ name, says }) => (
                  <li key={name}>{`${name}: ${says}`}</li>
                ))}
              </ul>
            )}
          </Paper>
        )}
      </div>
      <FaultAlert fault={fault} />
      {count > 0 && (
        <Paper withBorder px="sm" py={6} bg="var(--chancery-picked)">
          <Group gap="sm">
            <Text fw={500} role="status">
              {list.selection.all && list.answer?.more === true
                ? t('More than {count} selected', { count: formatNumber(count) })
                : t('{count, plural, one {# selected} other {# selected}}', { count })}
            </Text>
            {!list.selection.all && pageIds.some((id) => !list.selection.ids.has(id)) && (
              <Anchor component="button" type="button" onClick={() => list.select(select(list.selection, pageIds, true))}>
                {t('Select this page')}
              </Anchor>
            )}
            {count < total && (
              <Anchor component="button" type="button" onClick={() => list.select(everythingSelected)}>
                {list.answer?.more === true
                  ? t('Select all matching, more than {count}', { count: formatNumber(total) })
                  : t('Select all {count} matching', { count: formatNumber(total) })}
              </Anchor>
            )}
            <Anchor component="button" type="button" onClick={() => list.select(nothingSelected)}>
              {t('Select none')}
            </Anchor>
            <Group gap="xs" ml="auto">
              {actions.map((action) => (
                <Button
                  key={action.label}
                  size="xs"
                  variant="default"
                  {...(action.danger === true ? { color: 'red', variant: 'light' } : {})}
                  aria-busy={running === action.label}
                  leftSection={
                    running === action.label ? (
                      <Loader size={14} color="currentColor" />
                    ) : action.icon === undefined ? undefined : (
                      <action.icon size={16} stroke={1.8} aria-hidden />
                    )
                  }
                  onClick={() => void run(action)}
                >
                  {action.label}
                </Button>
              ))}
            </Group>
          </Group>
        </Paper>
      )}
    </>
  )
}
