// A table whose rows are all there: nothing to search, to sort or to turn. Where it is narrow, each row is a heading with its values below, by name.

import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../text.ts'
import classes from './SmallTable.module.css'

export type SmallColumn<Row> = {
  label: string
  /** The first column names the row. */
  cell: (row: Row) => ReactNode
  align?: 'end'
  /** Where it is narrow, it stands at the end of the first line: the status. */
  aside?: boolean
  /** Where it is narrow, it stands without its name: buttons, a sentence. */
  plain?: boolean
}

export function SmallTable<Row>({
  label,
  columns,
  rows,
  rowId,
}: {
  label: string
  columns: readonly SmallColumn<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
}) {
  return (
    <div className={classes['frame']}>
      <Table role="table" aria-label={label} className={classes['table']}>
        <Table.Thead role="rowgroup" className={classes['head']}>
          <Table.Tr role="row">
            {columns.map((column) => (
              <Table.Th key={column.label} role="columnheader" scope="col" data-end={column.align === 'end' || undefined}>
                {column.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.length === 0 && (
            <Table.Tr role="row">
              <Table.Td role="cell" colSpan={columns.length} c="dimmed">
                {t('None yet')}
              </Table.Td>
            </Table.Tr>
          )}
          {rows.map((row) => (
            <Table.Tr key={rowId(row)} role="row" className={classes['row']}>
              {columns.map((column, at) =>
                at === 0 ? (
                  <Table.Th key={column.label} role="rowheader" scope="row" className={classes['name']}>
                    {column.cell(row)}
                  </Table.Th>
                ) : (
                  <Table.Td
                    key={column.label}
                    role="cell"
                    className={classes['cell']}
                    data-label={column.label}
                    data-end={column.align === 'end' || undefined}
                    data-aside={column.aside || undefined}
                    data-plain={column.plain || undefined}
                  >
                    {column.cell(row)}
                  </Table.Td>
                ),
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
