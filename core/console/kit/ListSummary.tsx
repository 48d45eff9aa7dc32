// The line between a list's tools and its rows: how many there are and what they are filtered by, or, once rows are selected, what can be done with them. It has
// one height in every state, so that the rows stay where they are, and it stays in sight while the rows are scrolled.

import { Button, NativeSelect, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { formatNumber, t } from '../text.ts'
import classes from './DataTable.module.css'
import { chooseIn, choicesOf, chosenLabels } from './FilterMenu.tsx'
import type { List } from './list.ts'
import { sortName, type Column } from './table-columns.ts'

export function ListSummary<Row>({ list, columns }: { list: List<Row>; columns: readonly Column<Row>[] }) {
  const { answer, state, misspelt } = list
  const chosen = Object.entries(list.filters).flatMap(([name, filter]) => {
    const choices = choicesOf(list, name, filter)
    return choices.chosen.length === 0 ? [] : [{ name, label: filter.label, values: chosenLabels(choices) }]
  })
  const isFiltered = state.text !== '' || Object.keys(state.filters).length > 0 || misspelt.length > 0
  return (
    <div className={classes['summary']}>
      <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
        {answer === undefined
          ? ''
          : answer.more === true
            ? t('More than {count} rows', { count: formatNumber(answer.total) })
            : t('{count, plural, one {# row} other {# rows}}', { count: answer.total })}
      </Text>
      {chosen.map(({ name, label, values }) => {
        const says = t('{label}: {values}', { label, values: values.join(', ') })
        return (
          <Button
            key={name}
            size="compact-xs"
            variant="light"
            maw={280}
            rightSection={<IconX size={12} aria-hidden />}
            aria-label={t('Remove filter {filter}', { filter: says })}
            onClick={() => chooseIn(list, name, [])}
          >
            {says}
          </Button>
        )
      })}
      {isFiltered && (
        <Button size="compact-xs" variant="subtle" onClick={list.clear}>
          {t('Clear filters')}
        </Button>
      )}
      <PhoneSort list={list} columns={columns} />
    </div>
  )
}

/** Where there are no headings to press. */
function PhoneSort<Row>({ list, columns }: { list: List<Row>; columns: readonly Column<Row>[] }) {
  const { sort, direction } = list.state
  const sortable = columns.flatMap((column) => {
    const name = sortName(column)
    return name === undefined ? [] : [{ name, label: column.label }]
  })
  if (sortable.length === 0) return null
  return (
    <NativeSelect
      className={classes['phoneSort'] ?? ''}
      size="xs"
      aria-label={t('Sort by')}
      value={sort === undefined ? '' : `${sort} ${direction}`}
      data={[
        ...(sort === undefined ? [{ value: '', label: t('Sort by') }] : []),
        ...sortable.flatMap(({ name, label }) => [
          { value: `${name} asc`, label: t('{label}, ascending', { label }) },
          { value: `${name} desc`, label: t('{label}, descending', { label }) },
        ]),
      ]}
      onChange={(event) => {
        const [name, way] = event.currentTarget.value.split(' ')
        if (name !== undefined && name !== '') list.change({ sort: name, direction: way === 'desc' ? 'desc' : 'asc' })
      }}
    />
  )
}
