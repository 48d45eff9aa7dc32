// What is selected, and what can be done with it. "Select this page" and "Select all 61,204 matching" are different things.

import { Anchor, Button, Group, Loader, Paper, Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import type { Needs } from '#core/contract/permissions.ts'
import { asCallFault, type CallFault } from '../call-fault.ts'
import { formatNumber, t } from '../text.ts'
import classes from './DataTable.module.css'
import { everythingSelected, nothingSelected, select, selectedCount, wireSelection, type WireSelection } from './list-selection.ts'
import type { List } from './list.ts'
import { lazyPanel, usePanel } from './panel-button.ts'
import { FaultAlert } from './states.tsx'

/** "118 revoked, 2 failed": what happened, and the ones that failed by name. */
export type BulkResult = { says: string; failed?: readonly { name: string; says: string }[] }

export type BulkAction = {
  label: string
  icon?: Icon
  danger?: boolean
  needs?: Needs
  /** Of so many rows, ticked one by one: two are compared. */
  exactly?: number
  /** Asks first (`confirm`), then acts. `input` is the list's query, for "all matching"; `seen` the versions that were ticked. A result is shown; nothing returned means that it was called off. */
  run: (
    selection: WireSelection,
    facts: { count: number; input: Record<string, unknown>; seen: Readonly<Record<string, number>> },
  ) => Promise<BulkResult | undefined>
}

export type BulkWork = {
  running: string
  result: BulkResult | undefined
  fault: CallFault | undefined
  /** On what is ticked, or on one row. */
  run(action: BulkAction, row?: string): void
  close(): void
}

/** What is under way on the selected rows, and what came of it, which is told when none is selected any more. */
export function useBulkWork<Row>(list: List<Row>): BulkWork {
  const [running, setRunning] = useState('')
  const [result, setResult] = useState<BulkResult>()
  const [fault, setFault] = useState<CallFault>()
  const run = async (action: BulkAction, row?: string): Promise<void> => {
    if (running !== '') return
    const selection = row === undefined ? list.selection : select(nothingSelected, [row], true)
    const count = selectedCount(selection, list.answer?.total ?? 0)
    const seen = row === undefined ? list.seen : list.seenNow(selection)
    setRunning(action.label)
    setResult(undefined)
    setFault(undefined)
    try {
      const done = await action.run(wireSelection(selection), { count, input: list.input, seen })
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
  return { running, result, fault, run: (action, row) => void run(action, row), close: () => setResult(undefined) }
}

/** "118 revoked, 2 failed - Show failed", and why it could not be done. */
export function BulkNews<Row>({ bulk: { result, fault, close } }: { list: List<Row>; bulk: BulkWork }) {
  const [open, setOpen] = useState(false)
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
              <Anchor component="button" type="button" onClick={close}>
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
    </>
  )
}

/** Widens or ends the selection. */
type Choice = { label: string; onClick: () => void }

type BulkBarProps<Row> = { list: List<Row>; actions: readonly BulkAction[]; pageIds: readonly string[]; bulk: BulkWork }

/** So many actions have a button; the others stand in a menu. */
const mostButtons = 3

export function BulkBar<Row>({ list, actions, pageIds, bulk }: BulkBarProps<Row>) {
  const total = list.answer?.total ?? 0
  const count = selectedCount(list.selection, total)
  const fitting = actions.filter(({ exactly }) => exactly === undefined || (!list.selection.all && exactly === count))
  const choices: readonly Choice[] = [
    ...(!list.selection.all && pageIds.some((id) => !list.selection.ids.has(id))
      ? [{ label: t('Select this page'), onClick: () => list.select(select(list.selection, pageIds, true)) }]
      : []),
    ...(count < total
      ? [
          {
            label:
              list.answer?.more === true
                ? t('Select all matching, more than {count}', { count: formatNumber(total) })
                : t('Select all {count} matching', { count: formatNumber(total) }),
            onClick: () => list.select(everythingSelected),
          },
        ]
      : []),
    { label: t('Select none'), onClick: () => list.select(nothingSelected) },
  ]
  return (
    <div className={classes['picked']}>
      <Text size="sm" fw={500} role="status" style={{ whiteSpace: 'nowrap' }}>
        {list.selection.all && list.answer?.more === true
          ? t('More than {count} selected', { count: formatNumber(count) })
          : t('{count, plural, one {# selected} other {# selected}}', { count })}
      </Text>
      {choices.map(({ label, onClick }) => (
        <Anchor key={label} size="sm" component="button" type="button" className={classes['atDesk'] ?? ''} onClick={onClick}>
          {label}
        </Anchor>
      ))}
      <Group gap="xs" ml="auto" wrap="nowrap" className={classes['atDesk'] ?? ''}>
        {fitting.slice(0, mostButtons).map((action) => (
          <BulkButton key={action.label} action={action} bulk={bulk} />
        ))}
        {fitting.length > mostButtons && <MoreActions label={t('More actions')} actions={fitting.slice(mostButtons)} bulk={bulk} />}
      </Group>
      {/* One line of a telephone has room for one menu. */}
      <Group ml="auto" className={classes['onPhone'] ?? ''}>
        <MoreActions label={t('Actions')} actions={fitting} choices={choices} bulk={bulk} />
      </Group>
    </div>
  )
}

function BulkButton({ action, bulk }: { action: BulkAction; bulk: BulkWork }) {
  const isRunning = bulk.running === action.label
  return (
    <Button
      size="compact-sm"
      variant="default"
      {...(action.danger === true ? { color: 'red', variant: 'light' } : {})}
      aria-busy={isRunning}
      leftSection={
        isRunning ? (
          <Loader size={14} color="currentColor" />
        ) : action.icon === undefined ? undefined : (
          <action.icon size={16} stroke={1.8} aria-hidden />
        )
      }
      onClick={() => bulk.run(action)}
    >
      {action.label}
    </Button>
  )
}

const loadRowMenu = () => import('./RowMenu.tsx')
const RowMenu = lazyPanel(loadRowMenu)

type MoreActionsProps = { label: string; actions: readonly BulkAction[]; choices?: readonly Choice[]; bulk: BulkWork }

function MoreActions({ label, actions, choices = [], bulk }: MoreActionsProps) {
  const { panel, target, wanted } = usePanel(loadRowMenu)
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        {...target}
        aria-haspopup="menu"
        aria-busy={actions.some((action) => action.label === bulk.running)}
      >
        {label}
      </Button>
      {wanted && (
        <Suspense>
          <RowMenu
            panel={panel}
            actions={[
              ...actions.map((action) => ({
                label: action.label,
                ...(action.icon === undefined ? {} : { icon: action.icon }),
                danger: action.danger === true,
                onClick: () => bulk.run(action),
              })),
              ...choices,
            ]}
          />
        </Suspense>
      )}
    </>
  )
}
