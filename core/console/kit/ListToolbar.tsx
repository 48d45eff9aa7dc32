// Above a list: search, filters with their counts, and one button for what is needed now and then.

import { ActionIcon, Group, TextInput, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconSearch, IconX } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { usePreference, type SavedView } from '../preferences.ts'
import { saveFile } from '../save-file.ts'
import { askForFile } from '../send-file.ts'
import { formatNumber, inSentence, t } from '../text.ts'
import { toastFault } from '../toast-fault.ts'
import { toast } from '../toasts.ts'
import { AllFilters, FilterMenu, MoreFilters } from './FilterMenu.tsx'
import { allRows, csvText, mostExportedRows } from './list-export.ts'
import type { List } from './list.ts'
import { ListMenu } from './ListMenu.tsx'
import { cellText, visibleColumns, type Column } from './table-columns.ts'
import { readTyped, type TypedFilters } from './typed-filters.ts'
import { useTypedText } from './typed-text.ts'

type ListToolbarProps<Row> = {
  list: List<Row>
  label: string
  columns: readonly Column<Row>[]
  /** Columns that find no room. */
  out: ReadonlySet<string>
  search: string | false | undefined
  exportable: boolean | ListExport
  views: false | readonly SavedView[]
  tools: ReactNode
  showKeys: () => void
}

/** A file that the server writes. */
export type ListExport = { from: string; fileName: string }

const isFiltered = <Row,>({ state, misspelt }: List<Row>): boolean =>
  state.text !== '' || Object.keys(state.filters).length > 0 || misspelt.length > 0

export function ListToolbar<Row>({ list, label, columns, out, search, exportable, views, tools, showKeys }: ListToolbarProps<Row>) {
  const filters = Object.entries(list.filters).filter(([, filter]) => filter.silent !== true)
  const [more, daily] = [filters.filter(([, filter]) => filter.more === true), filters.filter(([, filter]) => filter.more !== true)]
  const phone = useMediaQuery('(max-width: 700px)', false, { getInitialValueInEffect: false })
  const exporting = useExport(list, label, columns, exportable)
  return (
    <Group gap="xs" role="search" aria-label={label} wrap="nowrap" align="flex-start">
      <Group gap="xs" flex="1 1 auto">
        {search !== false && (
          <SearchField list={list} label={t('Search {label}', { label: inSentence(label) })} hint={phone ? t('Search') : search} />
        )}
        {phone ? (
          filters.length > 0 && <AllFilters list={list} filters={filters} />
        ) : (
          <>
            {daily.map(([name, filter]) => (
              <FilterMenu key={name} list={list} name={name} filter={filter} />
            ))}
            {more.length > 0 && <MoreFilters list={list} filters={more} />}
          </>
        )}
        {tools}
      </Group>
      <ListMenu listKey={list.key} columns={columns} out={out} views={views} exporting={exporting} showKeys={showKeys} />
      <VisuallyHidden role="status">
        {list.answer === undefined || list.turning ? '' : t('{count, plural, one {# row} other {# rows}}', { count: list.answer.total })}
      </VisuallyHidden>
    </Group>
  )
}

const searchWait = 300

function SearchField<Row>({ list, label, hint }: { list: List<Row>; label: string; hint: string | undefined }) {
  const { typed, type, send } = useTypedText(
    list.state.text,
    !isFiltered(list),
    (text) => list.change({ text }, { replace: true }),
    searchWait,
  )
  return (
    <TextInput
      type="search"
      size="sm"
      miw={140}
      flex={{ base: '1 1 140px', sm: `0 1 ${fieldFor(hint ?? label)}px` }}
      aria-label={label}
      aria-keyshortcuts="/"
      placeholder={hint ?? label}
      maxLength={200}
      leftSection={<IconSearch size={16} stroke={1.8} aria-hidden />}
      value={typed}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        const { rest, found } = readTyped(typed, list.filters)
        if (found.length === 0) return send(typed)
        send(rest, () => list.change({ text: rest, filters: withFound(list, found) }))
      }}
      rightSection={
        typed === '' ? undefined : (
          <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t('Clear search')} onClick={() => send('')}>
            <IconX size={14} aria-hidden />
          </ActionIcon>
        )
      }
    />
  )
}

/** A field in which the hint is not cut: a letter takes about 7 pixels, the signs at both ends 72. */
const fieldFor = (hint: string): number => Math.max(300, hint.length * 7 + 72)

function withFound<Row>({ state, filters }: List<Row>, found: TypedFilters['found']): Record<string, string[]> {
  const chosen = { ...state.filters }
  for (const { name, value } of found)
    chosen[name] = filters[name]?.many === true ? [...new Set([...(chosen[name] ?? []), value])] : [value]
  return chosen
}

/** The list as a file: written here from its columns, or by the server, which takes more rows. */
function useExport<Row>(list: List<Row>, label: string, columns: readonly Column<Row>[], exportable: boolean | ListExport) {
  const [fetched, setFetched] = useState<number>()
  const choice = usePreference('lists')[list.key]
  if (exportable === false) return undefined
  const all = list.answer?.total ?? 0
  const total = exportable === true ? Math.min(all, mostExportedRows) : all
  const name = exportable === true ? `${label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.csv` : exportable.fileName
  const file = async (): Promise<{ file: Blob; rows: number }> => {
    if (exportable !== true) return { file: await askForFile(exportable.from), rows: total }
    const rows = await allRows(list, setFetched)
    const kept = visibleColumns(columns, choice).filter((column) => column.csv !== false)
    const text = csvText([kept.map((column) => column.label), ...rows.map((row) => kept.map((column) => cellText(column, row)))])
    return { file: new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }), rows: rows.length }
  }
  const run = async (): Promise<void> => {
    if (fetched !== undefined) return
    setFetched(0)
    try {
      const made = await file()
      saveFile(made.file, name)
      toast({ kind: 'success', title: t('{count, plural, one {# row} other {# rows}} exported', { count: made.rows }) })
    } catch (error) {
      toastFault(error, t('Error downloading file {name}, please try again', { name }))
    } finally {
      setFetched(undefined)
    }
  }
  return {
    label:
      fetched === undefined || fetched === 0
        ? t('Export {count, plural, one {# row} other {# rows}} as CSV', { count: total })
        : t('{count} rows so far', { count: formatNumber(fetched) }),
    busy: fetched !== undefined,
    run: () => void run(),
  }
}
