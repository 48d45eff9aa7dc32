// Reads the bytes of a CSV file that a stranger's program made: finds its encoding and its delimiter, and gives its rows. Whatever is no such file is
// refused in a sentence for the field, before a row of it is kept.

import { CsvError, parse } from 'csv-parse'
import { Readable } from 'node:stream'
import { setImmediate as others } from 'node:timers/promises'
import { invalidField } from '../fault.ts'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'
export type Delimiter = ',' | ';' | '\t'

export type FileRow = { number: number; cells: string[] }
export type CsvFile = { encoding: Encoding; delimiter: Delimiter; headers: string[]; rows: FileRow[] }

export const mostBytes = 10 * 1024 * 1024
export const mostRows = 100_000
const mostColumns = 200
/** Of a row that is read at all, to say how many it has. */
const mostCells = 20_000
/** What a spreadsheet can hold in a cell. */
const longestCell = 32_767

const refuse = (says: string): never => {
  throw invalidField('file', says)
}

export async function readCsvFile(bytes: Uint8Array): Promise<CsvFile> {
  if (bytes.length > mostBytes) refuse(`The file is larger than ${mostBytes / 1024 / 1024} MB; split it`)
  if (bytes.length === 0) refuse('The file is empty')
  const { encoding, text: whole } = decode(bytes)
  const hint = /^sep=([,;\t])\r?\n/.exec(whole)
  const delimiter = isDelimiter(hint?.[1]) ? hint[1] : findDelimiter(whole)
  const text = withoutEmptyEnd(hint === null ? whole : whole.slice(hint[0].length))
  await refuseTooMany(text, delimiter)
  const [head, ...rows] = await parseRows(text, delimiter)
  if (head === undefined || head.cells.every((cell) => cell.trim() === '')) return refuse('The first row has no column names')
  const headers = head.cells.map((name) => name.trim())
  if (rows.length === 0) refuse('The file has no rows below its column names')
  return { encoding, delimiter, headers, rows }
}

function decode(bytes: Uint8Array): { encoding: Encoding; text: string } {
  if (startsWith(bytes, [0x50, 0x4b, 3, 4]) || startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0]))
    refuse('This is a spreadsheet or an archive; save it as CSV and import that')
  const encoding = findEncoding(bytes)
  // Refuses a sequence that is cut or is none. The mark at the beginning is left away.
  try {
    return { encoding, text: new TextDecoder(encoding, { fatal: true }).decode(bytes) }
  } catch {
    return refuse(`The text is not valid ${encoding === 'utf-8' ? 'UTF-8' : 'UTF-16'}; the file may be cut off`)
  }
}

const startsWith = (bytes: Uint8Array, signature: readonly number[]) => signature.every((byte, at) => bytes[at] === byte)

function findEncoding(bytes: Uint8Array): Encoding {
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return 'utf-8'
  if (startsWith(bytes, [0xff, 0xfe])) return 'utf-16le'
  if (startsWith(bytes, [0xfe, 0xff])) return 'utf-16be'
  // UTF-16 without a mark has a zero in every other byte of plain text.
  const sample = bytes.subarray(0, 4_096)
  const zeros = [0, 1].map((side) => sample.filter((byte, at) => at % 2 === side && byte === 0).length)
  const [even = 0, odd = 0] = zeros
  if (odd > sample.length / 4 && even < odd / 4) return 'utf-16le'
  if (even > sample.length / 4 && odd < even / 4) return 'utf-16be'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    // These five bytes are no characters of Windows-1252, so it is no text of an office either.
    if ([0x81, 0x8d, 0x8f, 0x90, 0x9d].some((byte) => bytes.includes(byte))) refuse('This is no text that can be read; save it as UTF-8')
    return 'windows-1252'
  }
}

const delimiters = [',', ';', '\t'] as const
const isDelimiter = (text: string | undefined): text is Delimiter => delimiters.some((one) => one === text)

/** Takes the one that divides most of the first rows into as many cells as it divides the header, and into the most cells where two do. */
function findDelimiter(text: string): Delimiter {
  const beginning = text.slice(0, 65_536)
  const judged = delimiters.map((delimiter) => {
    const [header = 1, ...counts] = cellCounts(beginning, delimiter, 30)
    return { delimiter, header, alike: header === 1 ? 0 : (counts.filter((count) => count === header).length + 1) / (counts.length + 1) }
  })
  const [best] = judged.toSorted((a, b) => b.alike - a.alike || b.header - a.header)
  return best?.delimiter ?? ','
}

/** Counts the cells of the first rows. What stands in quotation marks divides nothing. */
function cellCounts(text: string, delimiter: string, most: number): number[] {
  const counts: number[] = []
  let cells = 1
  let quoted = false
  let length = 0
  for (const character of text) {
    if (character === '"') quoted = !quoted
    else if (quoted) continue
    else if (character === delimiter) cells += 1
    else if (character === '\n' || character === '\r') {
      if (length > 0) counts.push(cells)
      if (counts.length === most) return counts
      cells = 1
      length = -1
    }
    length += 1
  }
  return length > 0 && counts.length === 0 ? [cells] : counts
}

const pieceBytes = 32_768

/** Cuts the empty rows at the end, of which spreadsheets write a million. */
function withoutEmptyEnd(text: string): string {
  let end = text.length
  while (end > 0 && isEmptyMark(text.charCodeAt(end - 1))) end -= 1
  const cut = /[\r\n]/.exec(text.slice(end, end + 65_536))
  return cut === null ? text : text.slice(0, end + cut.index + 1)
}

const isEmptyMark = (code: number): boolean => code === 0x20 || code === 0x2c || code === 0x3b || (code >= 0x09 && code <= 0x0d)

/** Counts rows and their cells before anything is made of them: ten megabytes of line ends or commas are ten million. Lets others in between. */
async function refuseTooMany(text: string, delimiter: string): Promise<void> {
  const mark = delimiter.charCodeAt(0)
  let [rows, empty, row, cells, length, isQuoted] = [0, 0, 1, 1, 0, false]
  for (let at = 0; at < text.length; at += 1) {
    if (at % 1_000_000 === 0) await others()
    const code = text.charCodeAt(at)
    if (code === 0x22) isQuoted = !isQuoted
    if (isQuoted || (code !== 0x0a && code !== 0x0d)) {
      if (code !== mark || isQuoted) length += 1
      else if ((cells += 1) > mostCells)
        refuse(`Row ${row} has more than ${mostCells} cells; at most ${mostColumns} columns can be imported`)
      continue
    }
    // The two characters of one line end are one.
    if (code === 0x0a && text.charCodeAt(at - 1) === 0x0d) continue
    if (length === 0) empty += 1
    else rows += 1
    if (rows > mostRows + 1) refuse(`The file has more than ${mostRows} rows; split it`)
    if (empty > mostRows) refuse(`The file has more than ${mostRows} empty rows; remove them`)
    ;[row, cells, length] = [row + 1, 1, 0]
  }
}

/** Parses in pieces, so that others are answered meanwhile. */
async function parseRows(text: string, delimiter: Delimiter): Promise<FileRow[]> {
  const bytes = Buffer.from(text)
  // A stream alone lets nobody in between: its pieces follow each other in the same turn of the loop.
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      await others()
      yield bytes.subarray(at, at + pieceBytes)
    }
  }
  const parser = Readable.from(pieces()).pipe(
    parse({
      delimiter,
      // Each of them ends a row wherever it stands: files that were put together have several.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      max_record_size: mostColumns * longestCell,
    }),
  )
  const rows: FileRow[] = []
  let number = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      number += 1
      if (cells.every((cell) => cell === '') && (rows.length > 0 || cells.length === 1)) continue
      if (cells.length > mostColumns) refuse(`Row ${number} has ${cells.length} cells; at most ${mostColumns} columns can be imported`)
      if (cells.some((cell) => cell.length > longestCell))
        refuse(`Row ${number} has a cell of more than ${longestCell} characters; a quotation mark may lack its end`)
      if (cells.some((cell) => cell.includes('\u0000'))) refuse(`Row ${number} holds characters that are no text`)
      if (rows.length > mostRows) refuse(`The file has more than ${mostRows} rows; split it`)
      rows.push({ number, cells })
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    refuse(`Row ${parser.info.records + 1} cannot be read: ${sentences[error.code] ?? 'its quotation marks do not fit'}`)
  }
  return rows
}

const sentences: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark lacks its end',
  CSV_MAX_RECORD_SIZE: 'it is too long; a quotation mark may lack its end',
  INVALID_OPENING_QUOTE: 'a quotation mark stands in the middle of a cell',
  CSV_INVALID_CLOSING_QUOTE: 'something stands behind a closing quotation mark',
}
