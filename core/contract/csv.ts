// Comma-separated values (RFC 4180), as the server and the console give them out.

/** Begins a formula for a spreadsheet, also written with the full-width signs that some read as the plain ones. */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const plainNumber = /^-?\d+(\.\d+)?$/
const madeHarmless = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/**
 * One cell. One that a spreadsheet would take for a formula gets an apostrophe in front; a plain number is none. One that looks as if it had got its
 * apostrophe gets another, so that `readCsvCell` gives every value back as it was.
 */
export function csvCell(value: string): string {
  const harmless = formula.test(value) && !plainNumber.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Takes the apostrophe away that `csvCell` put in front. The quotation marks of the format are gone by then. */
export const readCsvCell = (cell: string): string => (madeHarmless.test(cell) ? cell.slice(1) : cell)

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`
