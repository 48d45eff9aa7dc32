// A list as CSV (RFC 4180), by the current query, page by page. A cell that a spreadsheet would run as a formula is made text.

import type { List } from './list.ts'

const exportPageSize = 200
export const mostExportedRows = 10_000

const csvCell = (value: string): string => {
  const harmless = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const csvText = (lines: readonly (readonly string[])[]): string =>
  lines.map((line) => line.map(csvCell).join(',')).join('\r\n') + '\r\n'

/** All rows of the query, at most 10,000. `onProgress` hears how many are there. */
export async function allRows<Row>(list: Pick<List<Row>, 'fetchPage'>, onProgress: (count: number) => void = () => {}): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; rows.length < mostExportedRows; page += 1) {
    const answer = await list.fetchPage(page, exportPageSize)
    rows.push(...answer.rows)
    onProgress(rows.length)
    if (answer.rows.length < exportPageSize) break
  }
  return rows.slice(0, mostExportedRows)
}
