// PEM, the text form of DER (RFC 7468). Text around the blocks is ignored, line ends may be CRLF and lines of any length;
// everything else is strict: matching labels, no headers, and base64 that means one sequence of bytes only.

import { say } from '#standards/say/say.ts'

export interface PemBlock {
  /** such as `CERTIFICATE` */
  label: string
  bytes: Uint8Array
  /** of the BEGIN line in the text, in characters */
  offset: number
  /** of the BEGIN line, from 1 */
  line: number
}

export class PemError extends Error {
  /** from 1 */
  readonly line: number

  constructor(fault: string, line: number) {
    super(say`Line ${line}: ${fault}`)
    this.name = 'PemError'
    this.line = line
  }
}

const BEGIN = /^-----BEGIN ([A-Za-z0-9#./]+(?:[ -][A-Za-z0-9#./]+)*)-----$/
/** No label is longer; what stands there instead may be a whole text in one line. */
const LONGEST_MEANT = 40
/** No BEGIN line is longer. One of megabytes is more than the engine's expressions can take. */
const LONGEST_BEGIN = 200
/** The largest file has two hundred thousand lines; ten megabytes of line ends would have ten million. */
const MOST_LINES = 300_000
const END = /^-----END (.*)-----$/

/** All blocks of the text, in order; none for text without any. `expected`: the label that is asked for, for who wrote it wrong. Throws PemError. */
export function decodePem(text: string, expected?: string): PemBlock[] {
  const blocks: PemBlock[] = []
  let open: { label: string; offset: number; line: number; parts: string[] } | undefined
  let line = 0
  for (let offset = 0; offset < text.length;) {
    const newline = text.indexOf('\n', offset)
    const end = newline === -1 ? text.length : newline
    const content = text.slice(offset, end).trim()
    line += 1
    if (line > MOST_LINES) throw new PemError(say`The text has more than ${MOST_LINES} lines`, line)
    if (open === undefined) {
      if (content.startsWith('-----BEGIN')) open = { label: beginLabel(content, line, expected), offset, line, parts: [] }
      else if (content.startsWith('-----END')) throw new PemError(say`An END line without its BEGIN line`, line)
    } else if (content.startsWith('-----END')) {
      const label = END.exec(content)?.[1]
      if (label !== open.label) throw new PemError(say`Expected "-----END ${open.label}-----"`, line)
      blocks.push({ label: open.label, bytes: decodeBlock(open.parts, open.line), offset: open.offset, line: open.line })
      open = undefined
    } else {
      if (content.startsWith('-----')) throw new PemError(say`Expected "-----END ${open.label}-----"`, line)
      if (content.includes(':')) throw new PemError(say`PEM headers, as of keys encrypted in the old form, are not supported`, line)
      const bad = /[^A-Za-z0-9+/=\s]/u.exec(content)
      if (bad !== null) throw new PemError(say`${JSON.stringify(bad[0])} is not a base64 character`, line)
      open.parts.push(content)
    }
    offset = end + 1
  }
  if (open !== undefined) throw new PemError(say`The END line of "${open.label}" is missing`, open.line)
  return blocks
}

/** Gives a block its lines back that came as one: a form field made blanks of its line ends, or JSON wrote them as `\n`. */
export const restoreLineEnds = (text: string): string =>
  text.replaceAll(/-----BEGIN ([^-]{1,60})-----([^-]*)-----END \1-----/g, (block, label: string, body: string) =>
    /^\s*?\n/.test(body) && /\n[^\S\n]*$/.test(body)
      ? block
      : `\n-----BEGIN ${label}-----\n${body.replaceAll(/(?:\\[rn])+/g, '\n')}\n-----END ${label}-----\n`,
  )

function beginLabel(content: string, line: number, expected: string | undefined): string {
  const beginning = content.slice(0, LONGEST_BEGIN)
  const label = content === beginning ? BEGIN.exec(beginning)?.[1] : undefined
  if (label !== undefined) return label
  const meant = expected ?? /^-----BEGIN ([A-Z0-9]+(?: [A-Z0-9]+)*)/.exec(beginning)?.[1] ?? 'CERTIFICATE'
  throw new PemError(say`The BEGIN line must read "-----BEGIN ${meant.slice(0, LONGEST_MEANT)}-----"`, line)
}

function decodeBlock(parts: readonly string[], line: number): Uint8Array {
  const base64 = parts.join('').replaceAll(/\s/g, '')
  const bytes = decodeBase64(base64)
  if (bytes === undefined) throw new PemError(say`The block is not valid base64`, line)
  if (bytes.length === 0) throw new PemError(say`The block is empty`, line)
  return bytes
}

/** The bytes of canonical, padded base64 without white space (RFC 4648 4); undefined for anything else. */
export function decodeBase64(base64: string): Uint8Array | undefined {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) : undefined
}

/** One block, lines of 64 characters, ended by a line feed. */
export function encodePem(label: string, bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  return `-----BEGIN ${label}-----\n${base64.replaceAll(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`
}
