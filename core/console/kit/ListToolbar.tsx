// Above a list: search, filters with their counts, saved views, columns, export.

import { ActionIcon, Button, Group, TextInput, VisuallyHidden } from '@mantine/core'
import { IconDownload, IconSearch, IconX } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { usePreference } from '../preferences.ts'
import { saveFile } from '../save-file.ts'
import { formatNumber, t } from '../text.ts'
import { toastFault } from '../toast-fault.ts'
import { toast } from '../toasts.ts'
import { ColumnChooser } from './ColumnChooser.tsx'
import { FilterMenu } from './FilterMenu.tsx'
import { Hint } from './Hint.tsx'
import { allRows, csvText, mostExportedRows } from './list-export.ts'
import type { List } from './list.ts'
import { SavedViews } from './SavedViews.tsx'
import { cellText, visibleColumns, type Column } from './table-columns.ts'
import { readTyped, type TypedFilters } from './typed-filters.ts'
import { useTypedText } from './typed-text.ts'

type ListToolbarProps<Row> = {
  list: List<Row>
  label: string
  columns: readonly Column<Row>[]
  search: string | false | undefined
  exportable: boolean
  views: boolean
  tools: ReactNode
}

const isFiltered = <Row,>({ state, misspelt }: List<Row>): boolean =>
  state.text !== '' || Object.keys(state.filters).length > 0 || misspelt.length > 0

export function ListToolbar<Row>({ list, label, columns, search, exportable, views, tools }: ListToolbarProps<Row>) {
  return (
    <Group gap="xs" role="search" aria-label={label}>
      {search !== false && <SearchField list={list} label={t('Search {label}', { label: label.toLowerCase() })} hint={search} />}
      {Object.entries(list.filters).map(([name, filter]) => (
        <FilterMenu key={name} list={list} name={name} filter={filter} />
      ))}
      {isFiltered(list) && (
        <Button size="compact-sm" variant="subtle" onClick={list.clear}>
          {t('Clear filters')}
        </Button>
      )}
      {tools}
      <Group gap={4} ml="auto">
        {views && <SavedViews listKey={list.key} />}
        {exportable && <ExportButton list={list} label={label} columns={columns} />}
        <ColumnChooser listKey={list.key} columns={columns} />
      </Group>
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
      miw={220}
      flex={{ base: '1 1 100%', sm: '0 1 300px' }}
      aria-label={label}
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

function withFound<Row>({ state, filters }: List<Row>, found: TypedFilters['found']): Record<string, string[]> {
  const chosen = { ...state.filters }
  for (const { name, value } of found)
    chosen[name] = filters[name]?.many === true ? [...new Set([...(chosen[name] ?? []), value])] : [value]
  return chosen
}

function ExportButton<Row>({ list, label, columns }: { list: List<Row>; label: string; columns: readonly Column<Row>[] }) {
  const [fetched, setFetched] = useState<number>()
  const choice = usePreference('lists')[list.key]
  const total = Math.min(list.answer?.total ?? 0, mostExportedRows)
  const says = t('Export {count, plural, one {# row} other {# rows}} as CSV', { count: total })
  const run = async (): Promise<void> => {
    if (fetched !== undefined) return
    setFetched(0)
    const name = `${label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.csv`
    try {
      const rows = await allRows(list, setFetched)
      const kept = visibleColumns(columns, choice).filter((column) => column.csv !== false)
      const text = csvText([kept.map((column) => column.label), ...rows.map((row) => kept.map((column) => cellText(column, row)))])
      saveFile(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }), name)
      toast({ kind: 'success', title: t('{count, plural, one {# row} other {# rows}} exported', { count: rows.length }) })
    } catch (error) {
      toastFault(error, t('Error downloading file {name}, please try again', { name }))
    } finally {
      setFetched(undefined)
    }
  }
  return (
    <Hint label={fetched === undefined ? says : t('{count} rows so far', { count: formatNumber(fetched) })}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={says}
        aria-busy={fetched !== undefined}
        loading={fetched !== undefined}
        onClick={() => void run()}
      >
        <IconDownload size={18} stroke={1.8} aria-hidden />
      </ActionIcon>
    </Hint>
  )
}
