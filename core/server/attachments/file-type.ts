// Tells what a file is by its bytes; its name and what the browser says of it count for nothing. Whatever is not on the list is refused, so that nothing runs, and
// nothing is shown as a page, on the machine of whoever downloads it.

import { invalidField } from '../fault.ts'
import { zipNames } from './zip-names.ts'

export type FileType = {
  type: string
  /** What its name may end with; the first is put behind a name that ends otherwise. */
  endings: readonly string[]
}

type Known = FileType & { is(bytes: Uint8Array): boolean }

const begins =
  (...signatures: readonly (readonly number[])[]) =>
  (bytes: Uint8Array): boolean =>
    signatures.some((signature) => signature.every((byte, at) => bytes[at] === byte))

const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')]
const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const known: readonly Known[] = [
  { type: 'application/pdf', endings: ['pdf'], is: begins(ascii('%PDF-')) },
  { type: 'image/png', endings: ['png'], is: begins([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  { type: 'image/jpeg', endings: ['jpg', 'jpeg'], is: begins([0xff, 0xd8, 0xff]) },
  { type: 'image/gif', endings: ['gif'], is: begins(ascii('GIF87a'), ascii('GIF89a')) },
  { type: 'image/webp', endings: ['webp'], is: (bytes) => begins(ascii('RIFF'))(bytes) && begins(ascii('WEBP'))(bytes.subarray(8)) },
  { type: 'image/bmp', endings: ['bmp'], is: isBitmap },
  {
    type: 'application/zip',
    endings: ['zip', 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp'],
    is: begins([0x50, 0x4b, 3, 4]),
  },
  { type: 'application/octet-stream', endings: ['der', 'cer', 'crt', 'p7b', 'p7c', 'csr', 'crl'], is: isDer },
  {
    type: 'text/plain',
    endings: ['txt', 'log', 'csv', 'tsv', 'md', 'json', 'jsonl', 'yaml', 'yml', 'ini', 'conf', 'pem', 'crt', 'cer', 'csr', 'asc'],
    is: isText,
  },
]

/** Windows, Linux, macOS (and Java), WebAssembly, installers and old Office files with macros, shortcuts. */
const isProgram = begins(
  ascii('MZ'),
  [0x7f, ...ascii('ELF')],
  [0xfe, 0xed, 0xfa, 0xce],
  [0xfe, 0xed, 0xfa, 0xcf],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xca, 0xfe, 0xba, 0xbe],
  [0, ...ascii('asm')],
  [0xd0, 0xcf, 0x11, 0xe0],
  [0x4c, 0, 0, 0, 1, 0x14, 2, 0],
  ascii('#!'),
  ascii('{\\rtf'),
)

export const programsRefused = 'Programs, and documents that hold them, cannot be attached'
export const pagesRefused = 'Web pages and drawings (HTML, SVG, XML) cannot be attached; put them into a ZIP file'
export const typesRefused = 'This type of file cannot be attached: use PDF, PNG, JPEG, GIF, BMP, WebP, ZIP, Office documents or plain text'

const refuse = (says: string): never => {
  throw invalidField('file', says)
}

export function fileTypeOf(bytes: Uint8Array): FileType {
  if (isProgram(bytes)) refuse(programsRefused)
  if (isMarkup(bytes)) refuse(pagesRefused)
  const found = known.find(({ is }) => is(bytes)) ?? refuse(typesRefused)
  if (found.type === 'application/zip') refuseDangerousEntries(bytes)
  return found
}

function isBitmap(bytes: Uint8Array): boolean {
  if (!begins(ascii('BM'))(bytes) || bytes.length < 26) return false
  return viewOf(bytes).getUint32(6, true) === 0 && [12, 40, 52, 56, 108, 124].includes(viewOf(bytes).getUint32(14, true))
}

/** A sequence of ASN.1 that is as long as the file: certificates, requests, lists. */
function isDer(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x30 || bytes.length < 16) return false
  const [, first = 0] = bytes
  if (first < 0x80) return bytes.length === first + 2
  const width = first - 0x80
  if (width < 1 || width > 3) return false
  const length = bytes.subarray(2, 2 + width).reduce((sum, byte) => sum * 256 + byte, 0)
  return bytes.length === length + 2 + width
}

/** The text as any program would read it; undefined where none would. */
function textOf(bytes: Uint8Array): string | undefined {
  const encodings = begins([0xff, 0xfe])(bytes) ? ['utf-16le'] : begins([0xfe, 0xff])(bytes) ? ['utf-16be'] : ['utf-8', 'windows-1252']
  for (const encoding of encodings) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes)
    } catch {
      // The next one.
    }
  }
  return undefined
}

// oxlint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]/

function isText(bytes: Uint8Array): boolean {
  const text = textOf(bytes)
  return text !== undefined && !controlCharacter.test(text)
}

/** What a browser, or whoever opens the file from a folder, might take for a page. Also in UTF-16, and behind spaces or a mark. */
function isMarkup(bytes: Uint8Array): boolean {
  const encoding = begins([0xff, 0xfe])(bytes) ? 'utf-16le' : begins([0xfe, 0xff])(bytes) ? 'utf-16be' : 'utf-8'
  // oxlint-disable-next-line no-control-regex
  return /^[\s\u0000\ufeff]*</.test(new TextDecoder(encoding).decode(bytes.subarray(0, 65_536)))
}

const dangerousEntry =
  /(?:^|\/)(?:vbaProject\.bin|META-INF\/MANIFEST\.MF|AndroidManifest\.xml)$|\.(?:exe|com|scr|pif|bat|cmd|ps1|vbs|vbe|js|jse|wsf|wsh|hta|msi|jar|lnk|dll|sh|command|apk|reg|iso|img)[. ]*$/i

function refuseDangerousEntries(bytes: Uint8Array): void {
  const names = zipNames(bytes) ?? refuse('The archive is damaged or of an unusual kind')
  if (names.some((name) => dangerousEntry.test(name.replaceAll('\\', '/')))) refuse(programsRefused)
}
