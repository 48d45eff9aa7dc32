// Comma-separated values (RFC 4180), as the server and the console give them out.

/** Begins a formula for a spreadsheet, also written with the full-width signs that some read as the plain ones. */
const formula = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/
const plainNumber = /^-?\d+(\.\d+)?$/

/** One cell. One that a spreadsheet would take for a formula gets an apostrophe in front; a plain number is none. */
export function csvCell(value: string): string {
  const harmless = formula.test(value) && !plainNumber.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`
