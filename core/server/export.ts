// A list as a file, streamed: a batch is read when the one before was taken, so that a long list needs no memory, and no more is read for somebody who went
// away. Where reading fails the connection breaks off, so that nobody takes a part for the whole.

import { csvLine } from '#core/contract/csv.ts'
import { dayText } from '#core/contract/days.ts'
import type { EndpointAnswer } from './serve.ts'

type Cell = string | number | boolean | Date | null | undefined

export type Export<Row> = {
  /** Begins the name of the file. */
  name: string
  /** Ends the name of the file with its day, unless something else tells the files apart. */
  of: Date | string
  /** As a list where headings may repeat, or are not ours: an object would sort numbers first. */
  columns: { readonly [heading: string]: (row: Row) => Cell } | readonly (readonly [heading: string, (row: Row) => Cell])[]
  /** Rows in the order of a key, those that follow `after`; fewer than `size` are the last ones. */
  read(after: Row | undefined, size: number): Promise<readonly Row[]>
  /** `jsonLines` has an object a line, with the headings as names. */
  format?: 'csv' | 'jsonLines'
  /** Tells spreadsheets that the CSV is UTF-8; programs rather do without. */
  byteOrderMark?: boolean
  /** Hears how many rows were given out, also where the download was broken off: they are out of the house. */
  ended?(rows: number): Promise<void>
}

const batch = 1_000

const formats = {
  csv: {
    type: 'text/csv',
    ending: 'csv',
    head: (headings: readonly string[]) => csvLine(headings),
    line: (cells: readonly (readonly [string, Cell])[]) => csvLine(cells.map(([, cell]) => textOf(cell))),
  },
  jsonLines: {
    type: 'application/jsonl',
    ending: 'jsonl',
    head: () => '',
    line: (cells: readonly (readonly [string, Cell])[]) => `${JSON.stringify(Object.fromEntries(cells))}\n`,
  },
} as const

const textOf = (cell: Cell): string => (cell === null || cell === undefined ? '' : cell instanceof Date ? cell.toISOString() : String(cell))

/** Answers an endpoint with the list. */
export function exportAnswer<Row>(wanted: Export<Row>): EndpointAnswer & { body: AsyncIterable<string> } {
  const { type, ending } = formats[wanted.format ?? 'csv']
  const of = wanted.of instanceof Date ? dayText(wanted.of) : wanted.of
  return {
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${wanted.name}-${of}.${ending}"`,
    },
    body: textsOf(wanted),
  }
}

/** `Array.isArray` knows no read-only lists. */
const isList = (value: unknown): value is readonly (readonly [string, never])[] => Array.isArray(value)

async function* textsOf<Row>({ columns, read, format = 'csv', byteOrderMark = false, ended }: Export<Row>): AsyncGenerator<string> {
  const { head, line } = formats[format]
  const cells: readonly (readonly [string, (row: Row) => Cell])[] = isList(columns) ? columns : Object.entries(columns)
  let rows = 0
  try {
    const begin = `${byteOrderMark && format === 'csv' ? '\u{feff}' : ''}${head(cells.map(([heading]) => heading))}`
    if (begin !== '') yield begin
    for (let after: Row | undefined; ;) {
      const found = await read(after, batch)
      rows += found.length
      if (found.length > 0) yield found.map((row) => line(cells.map(([heading, cell]) => [heading, cell(row)]))).join('')
      after = found.at(-1)
      if (found.length < batch) break
    }
  } finally {
    await ended?.(rows)
  }
}
