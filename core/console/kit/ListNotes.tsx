// Between the search line and the rows: what was asked for and does not hold, and the order of the rows where no heading shows it.

import { Stack, Text } from '@mantine/core'
import { t } from '../text.ts'
import classes from './DataTable.module.css'
import type { List } from './list.ts'
import { sortName, type Column } from './table-columns.ts'
import { readTyped } from './typed-filters.ts'

type ListNotesProps<Row> = { list: List<Row>; columns: readonly Column<Row>[]; shown: readonly Column<Row>[]; note?: string | undefined }

export function ListNotes<Row>({ list, columns, shown, note }: ListNotesProps<Row>) {
  const notes = [...notesOn(list), ...(note === undefined ? [] : [note])]
  return (
    <>
      {notes.length > 0 && (
        <Stack gap={2} role="note">
          {notes.map((says) => (
            <Text key={says} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {says}
            </Text>
          ))}
        </Stack>
      )}
      <Order list={list} columns={columns} shown={shown} />
    </>
  )
}

/** A filter must not look as if it held. */
function notesOn<Row>({ state: { text }, filters, unread, misspelt }: List<Row>): string[] {
  const { found, wrong } = readTyped(text, filters)
  const values = Object.entries(unread).map(
    ([name, some]) => `${filters[name]?.label ?? name} ${some.map((value) => `“${short(value)}”`).join(', ')}`,
  )
  return [
    ...(values.length === 0
      ? []
      : [t('The address asks for what this list does not know, and it was left out: {values}.', { values: values.join('; ') })]),
    ...misspelt.map(({ typed, meant }) =>
      meant === undefined
        ? t('The address asks for “{typed}”, which is no filter of this list.', { typed: short(typed) })
        : t('The address asks for “{typed}”, which is no filter of this list. Did you mean “{meant}”?', { typed: short(typed), meant }),
    ),
    ...wrong.map(({ typed, filter = '', meant = '' }) => {
      const said = { typed: short(typed), filter, meant }
      if (filter === '') return t('There is no filter “{typed}”. Did you mean “{meant}”?', said)
      return meant === '' ? t('{filter} has no “{typed}”.', said) : t('{filter} has no “{typed}”. Did you mean “{meant}”?', said)
    }),
    ...(found.length === 0 ? [] : [t('Press Enter to filter by {filters}.', { filters: found.map(({ says }) => says).join(', ') })]),
  ]
}

const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text)

/** Headings show the order of the rows: not where the column is hidden, and not on a telephone, which has none. */
function Order<Row>({ list, columns, shown }: ListNotesProps<Row>) {
  const { sort, direction } = list.state
  const column = sort === undefined ? undefined : columns.find((one) => sortName(one) === sort)
  if (column === undefined || (list.answer?.rows.length ?? 0) === 0) return null
  const texts = { label: column.label }
  return (
    <Text size="sm" c="dimmed" className={classes['order'] ?? ''} data-hidden-column={!shown.includes(column) || undefined}>
      {direction === 'asc' ? t('Sorted by {label}, ascending', texts) : t('Sorted by {label}, descending', texts)}
    </Text>
  )
}
