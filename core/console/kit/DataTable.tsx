// One table for every list. The server pages, sorts and filters; the state is in the address; the first column leads to the record.
// With every row model on the server there is nothing left for a table library to compute, so the table is plain markup with roles.

import { ActionIcon, Button, Skeleton, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowRight, IconArrowUp, IconArrowsSort, IconDots, IconLink, type Icon } from '@tabler/icons-react'
import { Suspense, useCallback, useRef, useState, type MouseEvent, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { Needs } from '#core/contract/permissions.ts'
import { useMay } from '../bootstrap.ts'
import { usePreference, type SavedView } from '../preferences.ts'
import { formatNumber, t } from '../text.ts'
import { toast } from '../toasts.ts'
import { BulkBar, BulkNews, useBulkWork, type BulkAction } from './BulkBar.tsx'
import classes from './DataTable.module.css'
import { FacetTiles } from './FacetTiles.tsx'
import { useFittingColumns } from './fitting-columns.ts'
import { useListKeys } from './list-keys.ts'
import { isSelected, select, selectedCount } from './list-selection.ts'
import { sortBy } from './list-state.ts'
import type { List } from './list.ts'
import { ListNotes } from './ListNotes.tsx'
import { ListPager } from './ListPager.tsx'
import { ListSummary } from './ListSummary.tsx'
import { ListToolbar, type ListExport } from './ListToolbar.tsx'
import { lazyPanel, usePanel } from './panel-button.ts'
import { EmptyState, ErrorState, useSlow, type EmptyStateProps } from './states.tsx'
import { plainText, sortName, visibleColumns, type Column } from './table-columns.ts'
import { Tick } from './Tick.tsx'

export type RowAction = {
  label: string
  icon?: Icon
  danger?: boolean
  needs?: Needs
  /** Why it cannot be done: it stands there with this, and does nothing. */ off?: string | undefined
} & ({ to: string; onClick?: never } | { onClick: () => void; to?: never })

export type DataTableProps<Row> = {
  list: List<Row>
  /** The plural noun of the rows, as a heading would say it: "Certificates". */
  label: string
  columns: readonly Column<Row>[]
  rowId: (row: Row) => string
  /** What a row is called in the labels of its checkbox and menu. */
  rowName: (row: Row) => string
  rowActions?: (row: Row) => readonly (RowAction | false | undefined)[]
  /** Given, rows can be selected. */
  bulk?: readonly BulkAction[]
  /** First use: nothing there, and nothing asked for. */
  empty: EmptyStateProps
  /** The hint in the search field; false where the call does not search. */
  search?: string | false
  /** False leaves the CSV export out; a file of the server's own takes more rows. */
  exportable?: boolean | ListExport
  /** Saved views: those that a person has before they save or remove one; false leaves them out. */
  views?: false | readonly SavedView[]
  /** A filter whose counts stand above the list as numbers that can be pressed, and those of its values that are rare. */
  tiles?: { filter: string; rare?: readonly string[] }
  /** Beside the search: a switch, a link to a map. */
  tools?: ReactNode
  /** Between the search and the rows: what the text was searched for. */
  note?: string | undefined
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { list, label, columns, rowId, rowName, rowActions, bulk, empty, search, exportable = true, views = [], tiles, tools, note } = props
  const may = useMay()
  const lists = usePreference('lists')
  const density = usePreference('density')
  const chosen = visibleColumns(columns, lists[list.key])
  const whole = useRef<HTMLDivElement>(null)
  const { out, most } = useFittingColumns(whole, chosen, list.answer)
  const shown = chosen.filter(({ key }) => !out.has(key))
  const [keysShown, setKeysShown] = useState(false)
  const showKeys = useCallback(() => setKeysShown(true), [])
  useListKeys(whole, showKeys)
  const ids = (list.answer?.rows ?? []).map(rowId)
  const hasMenu = rowActions !== undefined || columns.some(({ link }) => link !== undefined)
  const slow = useSlow(list.loading)
  const rows = list.answer?.rows ?? []
  const total = list.answer?.total ?? 0
  const asked = list.state.text !== '' || Object.keys(list.state.filters).length > 0
  const bulkShown = (bulk ?? []).filter((action) => action.needs === undefined || may(action.needs))
  const selectable = bulkShown.length > 0
  const work = useBulkWork(list)
  // What every row that has a page can do.
  const usualActions = (row: Row): RowAction[] => {
    const path = columns.find(({ link }) => link !== undefined)?.link?.(row)
    return path === undefined
      ? []
      : [
          { label: t('Open details'), icon: IconArrowRight, to: path },
          { label: t('Copy link'), icon: IconLink, onClick: () => void copyLink(path) },
        ]
  }
  // A list whose rows have no actions of their own offers on each row what it offers on many.
  const bulkOnRow = (id: string): RowAction[] =>
    rowActions !== undefined
      ? []
      : bulkShown.flatMap((action) =>
          action.exactly !== undefined
            ? []
            : [
                {
                  label: action.label,
                  ...(action.icon === undefined ? {} : { icon: action.icon }),
                  danger: action.danger === true,
                  onClick: () => work.run(action, id),
                },
              ],
        )
  const firstRow = (list.state.page - 1) * list.state.size + 1

  if (list.answer !== undefined && total === 0 && !asked && list.fault === undefined) return <EmptyState {...empty} />

  return (
    <div className={classes['list']} ref={whole} data-list={list.key} data-density={density}>
      {tiles !== undefined && <FacetTiles list={list} {...tiles} />}
      <ListToolbar
        list={list}
        label={label}
        columns={columns}
        out={out}
        search={search}
        exportable={exportable}
        views={views}
        tools={tools}
        showKeys={showKeys}
      />
      <ListNotes list={list} columns={columns} shown={shown} note={note} />
      {selectable && <BulkNews list={list} bulk={work} />}
      <div className={classes['bar']}>
        {selectable && selectedCount(list.selection, total) > 0 ? (
          <BulkBar list={list} actions={bulkShown} pageIds={ids} bulk={work} />
        ) : (
          <ListSummary list={list} columns={columns} />
        )}
      </div>
      {list.fault !== undefined && <ErrorState fault={list.fault} retry={list.retry} />}
      {list.fault === undefined && list.answer !== undefined && rows.length === 0 ? (
        <NoResults list={list} />
      ) : (
        <div className={classes['frame']} data-turning={list.turning || undefined} aria-busy={list.loading || list.turning}>
          <table role="table" className={classes['table']} aria-label={label} aria-rowcount={list.answer?.more === true ? -1 : total + 1}>
            <thead role="rowgroup" className={classes['head']}>
              <tr role="row" aria-rowindex={1}>
                {selectable && (
                  <th role="columnheader" className={classes['tick']}>
                    <PageTick list={list} ids={ids} />
                  </th>
                )}
                {shown.map((column) => (
                  <HeadCell key={column.key} list={list} column={column} />
                ))}
                {hasMenu && (
                  <th role="columnheader" className={classes['menu']}>
                    <span className={classes['hidden']}>{t('Actions')}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {list.answer === undefined
                ? slow && list.fault === undefined && <SkeletonRows columns={shown.length + (selectable ? 1 : 0) + (hasMenu ? 1 : 0)} />
                : rows.map((row, at) => {
                    const id = rowId(row)
                    const selected = selectable && isSelected(list.selection, id)
                    return (
                      <tr
                        key={id}
                        role="row"
                        aria-rowindex={firstRow + at + 1}
                        {...(selectable ? { 'aria-selected': selected } : {})}
                        data-selected={selected || undefined}
                      >
                        {selectable && (
                          <td role="cell" className={classes['tick']}>
                            <RowTick list={list} ids={ids} at={at} label={t('Select {name}', { name: rowName(row) })} />
                          </td>
                        )}
                        {shown.map((column, index) => (
                          <td
                            key={column.key}
                            role="cell"
                            title={plainText(column, row) || undefined}
                            data-first={index === 0 || undefined}
                            data-aside={column.aside || undefined}
                            data-end={column.align === 'end' || undefined}
                            data-wide-only={column.phone === false || undefined}
                            data-name={column.phone === 'named' ? column.label : undefined}
                            style={most.has(column.key) ? { maxWidth: most.get(column.key) } : undefined}
                          >
                            <CellLink to={column.link?.(row)}>{column.cell(row)}</CellLink>
                          </td>
                        ))}
                        {hasMenu && (
                          <td role="cell" className={classes['menu']}>
                            <RowActions name={rowName(row)} actions={[...usualActions(row), ...(rowActions?.(row) ?? bulkOnRow(id))]} />
                          </td>
                        )}
                      </tr>
                    )
                  })}
            </tbody>
          </table>
        </div>
      )}
      <ListPager list={list} />
      {keysShown && (
        <Suspense>
          <KeysDialog opened close={() => setKeysShown(false)} />
        </Suspense>
      )}
    </div>
  )
}

const KeysDialog = lazyPanel<{ opened: boolean; close: () => void }>(() => import('./KeysDialog.tsx'))

async function copyLink(path: string): Promise<void> {
  await navigator.clipboard.writeText(new URL(path, location.href).href)
  toast({ kind: 'success', title: t('Link copied') })
}

function HeadCell<Row>({ list, column }: { list: List<Row>; column: Column<Row> }) {
  const name = sortName(column)
  const { sort, direction } = list.state
  const sorted = name !== undefined && sort === name
  const Arrow = !sorted ? IconArrowsSort : direction === 'asc' ? IconArrowUp : IconArrowDown
  return (
    <th
      role="columnheader"
      scope="col"
      data-key={column.key}
      data-end={column.align === 'end' || undefined}
      style={column.width === undefined ? undefined : { width: column.width }}
      {...(name === undefined ? {} : { 'aria-sort': sorted ? (direction === 'asc' ? 'ascending' : 'descending') : 'none' })}
    >
      {name === undefined ? (
        column.label
      ) : (
        <UnstyledButton className={classes['sort']} data-sorted={sorted || undefined} onClick={() => list.change(sortBy(list.state, name))}>
          {column.label}
          <Arrow size={14} stroke={1.8} aria-hidden />
        </UnstyledButton>
      )}
    </th>
  )
}

function CellLink({ to, children }: { to: string | undefined; children: ReactNode }) {
  if (to === undefined) return children
  return (
    <Link to={to} className={classes['link'] ?? ''}>
      {children}
    </Link>
  )
}

function PageTick<Row>({ list, ids }: { list: List<Row>; ids: readonly string[] }) {
  const count = ids.filter((id) => isSelected(list.selection, id)).length
  return (
    <Tick
      label={t('Select this page')}
      checked={ids.length > 0 && count === ids.length}
      some={count > 0 && count < ids.length}
      onChange={(event) => list.select(select(list.selection, ids, event.currentTarget.checked))}
    />
  )
}

// Remembers the row ticked last, so that Shift selects the rows between.
let lastTicked: { list: string; at: number } | undefined

function RowTick<Row>({ list, ids, at, label }: { list: List<Row>; ids: readonly string[]; at: number; label: string }) {
  const shift = useRef(false)
  const id = ids[at] ?? ''
  return (
    <Tick
      label={label}
      checked={isSelected(list.selection, id)}
      onClick={(event: MouseEvent) => {
        shift.current = event.shiftKey
      }}
      onChange={(event) => {
        const from = shift.current && lastTicked?.list === list.key ? lastTicked.at : at
        list.select(select(list.selection, ids.slice(Math.min(from, at), Math.max(from, at) + 1), event.currentTarget.checked))
        lastTicked = { list: list.key, at }
      }}
    />
  )
}

const loadRowMenu = () => import('./RowMenu.tsx')
const RowMenu = lazyPanel(loadRowMenu)

/** Only a button until somebody reaches for it: a menu in each row would cost more than the rows. */
function RowActions({ name, actions }: { name: string; actions: readonly (RowAction | false | undefined)[] }) {
  const { panel, target, wanted } = usePanel(loadRowMenu)
  const may = useMay()
  const offered = actions
    .filter((action) => action !== false && action !== undefined)
    .filter((action) => action.needs === undefined || may(action.needs))
  if (offered.length === 0) return null
  return (
    <>
      <ActionIcon variant="subtle" color="gray" aria-label={t('Actions for {name}', { name })} {...target} aria-haspopup="menu">
        <IconDots size={16} aria-hidden />
      </ActionIcon>
      {wanted && (
        <Suspense>
          <RowMenu panel={panel} actions={offered} />
        </Suspense>
      )}
    </>
  )
}

function NoResults<Row>({ list }: { list: List<Row> }) {
  const { lastPage: last } = list
  if ((list.answer?.total ?? 0) > 0)
    return (
      <EmptyState
        title={t('There is no page {page}: the last is {last}', { page: formatNumber(list.state.page), last: formatNumber(last) })}
        action={
          <Button variant="default" onClick={() => list.turn(last)}>
            {t('Go to page {last}', { last: formatNumber(last) })}
          </Button>
        }
      />
    )
  return (
    <EmptyState
      title={list.state.text === '' ? t('Nothing matches these filters') : t('Nothing matches “{text}”', { text: list.state.text })}
      text={t('Check the spelling, or widen the search.')}
      action={
        <UnstyledButton className={classes['sort']} data-sorted onClick={list.clear}>
          {t('Clear filters')}
        </UnstyledButton>
      }
    />
  )
}

function SkeletonRows({ columns }: { columns: number }) {
  return Array.from({ length: 8 }, (_, row) => (
    <tr key={row} role="row">
      {Array.from({ length: columns }, (_, at) => (
        <td key={at} role="cell">
          <Skeleton
            height={12}
            width={at === 0 ? '80%' : '60%'}
            {...(row === 0 && at === 0 ? { role: 'img', 'aria-label': t('Loading') } : {})}
          />
        </td>
      ))}
    </tr>
  ))
}
