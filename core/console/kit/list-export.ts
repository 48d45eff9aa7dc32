// A list as CSV, by the current query, page by page.

import { csvLine } from '#core/contract/csv.ts'
import type { List } from './list.ts'

const exportPageSize = 200
export const mostExportedRows = 10_000

export const csvText = (lines: readonly (readonly string[])[]): string => lines.map(csvLine).join('')

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
