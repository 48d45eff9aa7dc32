// Comma-separated values (RFC 4180), as the server and the console give them out.

/** Begins a formula for a spreadsheet, also written with the full-width signs that some read as the plain ones. */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const plainNumber = /^-?\d+(\.\d+)?$/
const madeHarmless = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
/**
 * Where a formula would begin within a value. Spreadsheets of many countries split at semicolons, others at tabs or bars, and take a quotation mark that stands
 * behind a comma for a letter: there a value goes into several cells, and one with line breaks into several rows.
 */
const inside = /[;|\t\r\n]["']*(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g
const insideHarmless = /([;|\t\r\n]["']*)'(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g

/**
 * One cell. What a spreadsheet would take for a formula gets an apostrophe in front, at the beginning and wherever the spreadsheet may split; a plain number
 * is none. What looks as if it had got its apostrophe gets another, so that `readCsvCell` gives every value back as it was.
 */
export function csvCell(value: string): string {
  const within = value.replace(inside, "$&'")
  const harmless = formula.test(value) && !plainNumber.test(value) ? `'${within}` : within
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Takes the apostrophes away that `csvCell` put in front of formulas. The quotation marks of the format are gone by then. */
export const readCsvCell = (cell: string): string => (madeHarmless.test(cell) ? cell.slice(1) : cell).replace(insideHarmless, '$1')

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`
